"""Files, folders and archives as streams of bytes, trusting none of them."""
