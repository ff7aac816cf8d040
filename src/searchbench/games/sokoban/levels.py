"""Levels of our own, small ones for a start; collections of others are files that are given by their path."""

from __future__ import annotations

from typing import Final

HAND_MADE: Final = """\
; 1 Two in a row
#######
#@ $ .#
#  $ .#
#     #
#######

; 2 Four corners
  #####
###   ###
#. $ $ .#
# # @ # #
#. $ $ .#
###   ###
  #####

; 3 The back room
#######
#@  # ##
#    $ #
# ## # #
#.  $  #
#.# $  #
#.   # #
########

; 4 The attic
#########
#       ##
# $    $@#
# $  ## ##
#    .  #
# #  .. #
#########

; 5 The stairs
#########
#    .*+#
#  $ ####
##$  #  #
 #    # #
 ##     #
  #######

; 6 The cupboard
##########
#     #  #
# $      #
### $    #
#@#$ #..##
#   # . #
#########

; 7 The larder
##########
#@  #  # #
# $  #   #
# #  $   #
# #.  $# #
# ..    ##
#########

; 8 The tower
  #####
  #@  ####
### #  #.#
# $ #  ..#
# $$   # #
#        #
##########

; 9 The landing
##########
#..  #   #
##. $    #
# # $##  #
#    $@# #
# #  #####
######

; 10 The cellar
#########
#@      ##
#.##   $ #
#. #   $ #
#.    #$ #
#        #
##########
"""

PUSHES: Final = (4, 8, 18, 18, 20, 20, 20, 23, 25, 26)
"""The least number of pushes of each, by breadth-first search backwards from the goals."""
