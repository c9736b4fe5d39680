"""Files that are part of the program: colour maps, fonts, icons. Read them through `attention_explorer.core.files`."""
