// Before anything is painted: the reader's choice of light or dark, if there is one.
"use strict";
{
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
