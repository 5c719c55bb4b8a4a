#!/usr/bin/env bash
# Makes the pictures of docs/feeds.md and docs/avfoundation.md: clips made with ffmpeg, shown by the examples on contact sheets.
#
#   docs/examples/pictures.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

clip() {
    ffmpeg -v error -f lavfi -i "$2" -f lavfi -i sine=frequency=440 -t 4 -pix_fmt yuv420p -c:v libx264 -preset fast -c:a aac \
        "$folder/$1.mp4"
}
clip a "testsrc2=s=640x360:r=30"
clip b "mandelbrot=s=640x360:rate=30"
clip c "life=s=320x180:mold=10:r=30:ratio=0.1:death_color=#C83232:life_color=#00ff00,scale=640:360"
clip d "gradients=s=640x360:r=30:speed=0.05:c0=orange:c1=purple:c2=teal:nb_colors=3"
clip e "smptehdbars=s=640x360:r=30"
clips=("$folder"/{a,b,c,d,e}.mp4)
ffmpeg -v error -ss 1 -i "${clips[3]}" -frames:v 1 "$folder/picture.png"
mkdir "$folder/library" "$folder/store" "$folder/films"
cp "${clips[0]}" "${clips[1]}" "$folder/picture.png" "$folder/library"

swift build --package-path docs/examples
built=$(swift build --package-path docs/examples --show-bin-path)

# show NAME WIDTH ARGUMENT...: runs an example, and scales its sheet to a width.
show() {
    "$built/$1" --sheet "$folder/$1.png" "${@:3}"
    ffmpeg -v error -y -i "$folder/$1.png" -vf "scale=$2:-2:flags=area" -q:v 3 "docs/images/$1.jpg"
}
show StoryCoverDemo 1000 "${clips[0]}" "${clips[1]}"
show CellPlayerDemo 1000 "${clips[@]}"
show ScrollingFeedDemo 800 "${clips[@]}"
show BannerDemo 800 "${clips[0]}" "$folder/picture.png" "${clips[2]}"
show DownloadFeedDemo 800 "$folder" "${clips[0]}" "${clips[1]}" "${clips[3]}"
show PickerDemo 640 "$folder/library"
show WindowFeedDemo 1000 "${clips[@]}"

# show_small NAME ARGUMENT...: runs an example, and scales its sheet to a picture with few colors.
show_small() {
    "$built/$1" --sheet "$folder/$1.png" "${@:2}"
    ffmpeg -v error -y -i "$folder/$1.png" \
        -vf "scale=640:-2:flags=area,split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none" "docs/images/$1.png"
}
show_small UIKitStoryCoverDemo "${clips[0]}" "${clips[1]}"
show_small UIKitCellPlayerDemo "${clips[@]}"
show_small UIKitFeedDemo "$folder/store" "${clips[0]}" "${clips[1]}" "${clips[3]}"
show_small UIKitBannerDemo "${clips[0]}" "${clips[3]}" "${clips[2]}"
show_small UIKitPickerDemo "$folder/films"
