# Prints the `##@ Section` and `target: ## words` comments of a Makefile.
BEGIN { FS = ":.*## "; printf "make TARGET\n" }
/^##@ / { printf "\n%s\n", substr($0, 5) }
/^[a-z][a-z0-9-]*:.*## / { printf "  %-12s %s\n", $1, $2 }
