"""One file a page, its template beside it; `cairn_console.catalog` lists them."""
