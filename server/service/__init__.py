"""All that the post office does; the views only translate."""
