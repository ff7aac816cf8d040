"""Breadth-first search of product indexes whose moves are tables of rows and columns: a row is moved once for all columns."""
