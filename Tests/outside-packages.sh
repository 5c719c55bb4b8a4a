# Sourced by the checks that build packages outside this one, in the root of this tree. All of them depend on a git repository
# of this tree, as on a published one, and share a build folder, so that a check compiles what the one before it did not.

packages=$PWD/.build-packages

# Creates the git repository of this tree, or updates it. Packages with other traits need another build folder.
#
# publish BUILD: sets `scratch` to the build folder named BUILD, and `release` to the tag of the commit: the version of this tree.
publish() {
    local repository=$packages/playhead
    scratch=$packages/$1
    release=$(sed -n 's/.*static let current = "\([0-9.]*\).*"/\1/p' Sources/PlayheadCore/PlayheadVersion.swift)
    mkdir -p "$repository"
    find "$repository" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
    tar -c --exclude .build --exclude Tests/avfoundation Package.swift Sources Tests docs/examples | tar -x -C "$repository"
    git -C "$repository" init -q -b main
    git -C "$repository" add --all --force
    git -C "$repository" -c user.name=check -c user.email=check@localhost -c commit.gpgsign=false commit -q -m "this tree" ||
        git -C "$repository" rev-parse -q --verify HEAD >/dev/null
    git -C "$repository" tag --force "$release" >/dev/null
    # A build folder is only good for the commit that it has checked out. SwiftPM also remembers which commit a version was.
    local commit
    commit=$(git -C "$repository" rev-parse HEAD)
    [ "$(git -C "$scratch/checkouts/playhead" rev-parse HEAD 2>/dev/null)" = "$commit" ] || rm -rf "$scratch" "$packages/security"
}

# Prints a manifest. outside_manifest NAME TRAITS TARGETS, where TRAITS is empty, or a list of strings.
outside_manifest() {
    cat <<END
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
    name: "$1",
    dependencies: [.package(url: "file://$packages/playhead", branch: "main"${2:+, traits: [$2]})],
    targets: [$3]
)
END
}

# outside PACKAGE build|package|test ...: runs SwiftPM for the package in a folder.
outside() {
    local package=$1 command=$2
    shift 2
    ${SWIFT:-swift} "$command" --package-path "$package" --scratch-path "$scratch" --security-path "$packages/security" "$@"
}

# Nothing reads the debug information and the index of these builds.
outside_flags=(--disable-index-store -Xswiftc -gnone)
