"""What every floor above shares, without Qt: fields, numbers, files, the cache, maps, masks and colour scales."""
