"""The words of the subject: what they mean, and the help window that lists them."""
