"""Win by threats on square boards where five stones in a row win: go-moku (Allis 1994, chapter 5)."""
