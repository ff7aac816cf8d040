"""Search product indexes breadth first by tables of rows and columns: a row is moved once for all its columns."""
