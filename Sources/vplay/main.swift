print("vplay")
