"""Files that are part of the program: fonts, icons. Read them through `attention_explorer.assets`."""
