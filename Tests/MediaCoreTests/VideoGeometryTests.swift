import MediaCore
import Testing

/// One combination of all values that a geometry is computed from.
private struct Case: CustomStringConvertible {
    var shape: VideoShape
    var gravity: VideoGravity
    var target: PixelSize
    var geometry: VideoGeometry { VideoGeometry(shape, gravity: gravity, target: target) }

    var description: String {
        let turn = "\(shape.rotation.rawValue)\(shape.isMirrored ? " mirrored" : "")"
        return "\(shape.size) \(shape.pixelAspectRatio) \(turn) \(gravity) in \(target)"
    }

    /// The visible part of the coded picture.
    var aperture: PixelRect {
        shape.cleanAperture ?? PixelRect(x: 0, y: 0, width: shape.size.width, height: shape.size.height)
    }

    /// The size of the target along the axes of the coded picture.
    var codedTarget: PixelSize {
        shape.rotation.swapsAxes ? PixelSize(width: target.height, height: target.width) : target
    }
}

// Rule: geometry
@Suite("Video geometry")
struct VideoGeometryTests {
    private static let sizes = [
        (1, 1), (1, 3), (2, 1), (16, 8), (201, 151), (320, 180), (321, 181), (518, 488), (720, 480),
        (720, 576),
        (853, 480), (1080, 720), (1280, 720), (1919, 1079), (1920, 1080), (7, 4320), (8192, 3),
    ].map { PixelSize(width: $0.0, height: $0.1) }
    private static let aspects = [
        Rational(1, 1), Rational(32, 27), Rational(64, 45), Rational(8, 9), Rational(4, 3), Rational(1, 7),
        Rational(0, 1), Rational(3, -2),
    ]
    private static let targets = [
        (1, 1), (2, 3), (201, 133), (300, 300), (301, 300), (320, 180), (99, 1001), (1001, 99), (1080, 1920),
        (1280, 720), (1920, 1080), (1918, 1081),
    ].map { PixelSize(width: $0.0, height: $0.1) }

    private static func every(_ body: (Case) -> Void) {
        for size in sizes {
            for aspect in aspects {
                for rotation in Rotation.allCases {
                    for isMirrored in [false, true] {
                        let shape = VideoShape(
                            size: size,
                            pixelAspectRatio: aspect,
                            rotation: rotation,
                            isMirrored: isMirrored
                        )
                        for target in targets {
                            for gravity in [VideoGravity.resizeAspect, .resizeAspectFill, .resize] {
                                body(Case(shape: shape, gravity: gravity, target: target))
                            }
                        }
                    }
                }
            }
        }
    }

    private func area(_ rect: PixelRect) -> Int { rect.width * rect.height }

    private func overlaps(_ a: PixelRect, _ b: PixelRect) -> Bool {
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    }

    private func isInside(_ rect: PixelRect, _ size: PixelSize) -> Bool {
        rect.x >= 0 && rect.y >= 0 && rect.width > 0 && rect.height > 0
            && rect.x + rect.width <= size.width && rect.y + rect.height <= size.height
    }

    @Test("The frame and the bars cover the target without overlapping")
    func tiles() {
        var wrong: [String] = []
        Self.every { one in
            let geometry = one.geometry
            let parts = [geometry.destination] + geometry.bars
            let isWhole = parts.map(area).reduce(0, +) == one.target.width * one.target.height
            let areApart = parts.indices.allSatisfy { first in
                parts[..<first].allSatisfy { !overlaps($0, parts[first]) }
            }
            let areInside = parts.allSatisfy { isInside($0, one.target) }
            if geometry.target != one.target || !isWhole || !areApart || !areInside { wrong.append("\(one)") }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    }

    /// Returns whether `length` : `other` equals `a` : `b` to within half a pixel: twice the distance from the exact
    /// length is at most one.
    private func isNearest(_ length: Int, _ other: Int, _ a: Int, _ b: Int) -> Bool {
        abs(2 * (length * b - other * a)) <= b || length == 1 && 2 * other * a < b
    }

    /// The width and height of the upright picture, of which only the ratio is significant.
    private func seen(_ one: Case) -> (width: Int, height: Int) {
        let aspect = one.shape.pixelAspectRatio.isPositive ? one.shape.pixelAspectRatio : Rational(1, 1)
        let width = one.aperture.width * Int(aspect.numerator)
        let height = one.aperture.height * Int(aspect.denominator)
        return one.shape.rotation.swapsAxes ? (height, width) : (width, height)
    }

    private func isCentred(_ rect: PixelRect, in outer: PixelRect) -> Bool {
        let (left, top) = (rect.x - outer.x, rect.y - outer.y)
        let right = outer.x + outer.width - rect.x - rect.width
        let bottom = outer.y + outer.height - rect.y - rect.height
        return (0...1).contains(right - left) && (0...1).contains(bottom - top)
    }

    @Test(
        "Fitted: one side fills the target, the other is nearest to the exact one; in the middle, and all of it"
    )
    func aspect() {
        var wrong: [String] = []
        Self.every { one in
            guard one.gravity == .resizeAspect else { return }
            let (geometry, seen) = (one.geometry, seen(one))
            let rect = geometry.destination
            let all = PixelRect(x: 0, y: 0, width: one.target.width, height: one.target.height)
            let byWidth =
                rect.width == all.width && isNearest(rect.height, rect.width, seen.height, seen.width)
            let byHeight =
                rect.height == all.height && isNearest(rect.width, rect.height, seen.width, seen.height)
            if !byWidth && !byHeight || !isCentred(rect, in: all) || geometry.source != one.aperture
                || geometry.videoRect != rect
            {
                wrong.append("\(one): \(rect)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    }

    @Test(
        "With resizeAspectFill, the centered part with the target's shape is visible, to within half a pixel"
    )
    func fill() {
        var wrong: [String] = []
        Self.every { one in
            guard one.gravity == .resizeAspectFill else { return }
            let geometry = one.geometry
            let (rect, outer, target) = (geometry.source, one.aperture, one.codedTarget)
            let aspect = one.shape.pixelAspectRatio.isPositive ? one.shape.pixelAspectRatio : Rational(1, 1)
            let (across, down) = (Int(aspect.numerator), Int(aspect.denominator))
            let byRows =
                rect.height == outer.height
                && isNearest(rect.width, rect.height, target.width * down, target.height * across)
            let byColumns =
                rect.width == outer.width
                && isNearest(rect.height, rect.width, target.height * across, target.width * down)
            // The whole picture, if all of it were shown.
            let (video, seen) = (geometry.videoRect, seen(one))
            let all = PixelRect(x: 0, y: 0, width: one.target.width, height: one.target.height)
            let covers =
                video.width >= all.width && video.height >= all.height && isCentred(all, in: video)
                || isCentred(video, in: all)
            let isShaped =
                video.width == all.width && isNearest(video.height, video.width, seen.height, seen.width)
                || video.height == all.height && isNearest(video.width, video.height, seen.width, seen.height)
            if !byRows && !byColumns || !isCentred(rect, in: outer) || geometry.destination != all
                || !geometry.bars.isEmpty || !covers || !isShaped
            {
                wrong.append("\(one): \(rect) \(video)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    }

    @Test("With resize, the whole frame covers the whole target")
    func stretched() {
        var wrong: [String] = []
        Self.every { one in
            guard one.gravity == .resize else { return }
            let geometry = one.geometry
            let all = PixelRect(x: 0, y: 0, width: one.target.width, height: one.target.height)
            let isWhole = geometry.source == one.aperture && geometry.destination == all
            if !isWhole || geometry.videoRect != all { wrong.append("\(one)") }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    }

    @Test("isIdentity is true if the coded pixels equal the target's, and only then")
    func identity() {
        var wrong: [String] = []
        Self.every { one in
            let isPlain = one.shape.rotation == .none && !one.shape.isMirrored
            let geometry = one.geometry
            let isSame = one.shape.size == one.target && geometry.source.size == one.target
            let isExpected = isPlain && isSame && geometry.bars.isEmpty
            if geometry.isIdentity != isExpected || geometry.rotation != one.shape.rotation
                || geometry.isMirrored != one.shape.isMirrored
            {
                wrong.append("\(one)")
            }
            let own = VideoGeometry(one.shape, gravity: one.gravity, target: nil)
            if own.target != one.shape.presentationSize || own.destination.size != own.target
                || own.source.size != one.shape.size
                || own.isIdentity != (isPlain && own.target == one.shape.size)
            {
                wrong.append("\(one) without a target")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    }

    @Test("Mirroring and half turns keep the rectangles; a quarter turn swaps the axes")
    func symmetry() {
        var wrong: [String] = []
        Self.every { one in
            var plain = one
            plain.shape.rotation = .none
            plain.shape.isMirrored = false
            plain.target = one.codedTarget
            let (geometry, expected) = (one.geometry, plain.geometry)
            var rect = expected.videoRect
            if one.shape.rotation.swapsAxes {
                rect = PixelRect(x: rect.y, y: rect.x, width: rect.height, height: rect.width)
            }
            if geometry.source != expected.source || geometry.scaledSize != expected.destination.size
                || geometry.videoRect != rect
            {
                wrong.append("\(one)")
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(3))")
    }

    /// Examples computed by hand.
    private struct Row {
        var size: (Int, Int)
        var aspect = Rational(1, 1)
        var rotation = Rotation.none
        var gravity = VideoGravity.resizeAspect
        var target: (Int, Int)
        var source: PixelRect
        var video: PixelRect
    }

    private static func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRect {
        PixelRect(x: x, y: y, width: width, height: height)
    }

    private static let rows = [
        // 180 * 720 / 1280 = 101.25; (320 - 101) / 2 = 109.5.
        Row(
            size: (1280, 720),
            rotation: .clockwise90,
            target: (320, 180),
            source: rect(0, 0, 1280, 720),
            video: rect(109, 0, 101, 180)
        ),
        Row(
            size: (1080, 720),
            rotation: .clockwise270,
            target: (300, 300),
            source: rect(0, 0, 1080, 720),
            video: rect(50, 0, 200, 300)
        ),
        Row(
            size: (1080, 720),
            rotation: .clockwise270,
            gravity: .resizeAspectFill,
            target: (300, 300),
            source: rect(180, 0, 720, 720),
            video: rect(0, -75, 300, 450)
        ),
        // 720 * 32 / 27 = 853.33 wide: 16:9 exactly.
        Row(
            size: (720, 480),
            aspect: Rational(32, 27),
            target: (1920, 1080),
            source: rect(0, 0, 720, 480),
            video: rect(0, 0, 1920, 1080)
        ),
        // 201 * 3 / 4 = 150.75; 640 * 133 / 201 = 423.48; (480 - 423) / 2 = 28.5; (133 - 151) / 2 = -9.
        Row(
            size: (640, 480),
            gravity: .resizeAspectFill,
            target: (201, 133),
            source: rect(0, 28, 640, 423),
            video: rect(0, -9, 201, 151)
        ),
        // 300 * 480 / 854 = 168.62; (300 - 169) / 2 = 65.5.
        Row(size: (854, 480), target: (300, 300), source: rect(0, 0, 854, 480), video: rect(0, 65, 300, 169)),
        // (853 - 480) / 2 = 186.5; 300 * 853 / 480 = 533.125; (300 - 533) / 2 = -116.5.
        Row(
            size: (853, 480),
            gravity: .resizeAspectFill,
            target: (300, 300),
            source: rect(186, 0, 480, 480),
            video: rect(-117, 0, 533, 300)
        ),
        // 360 * 1080 / 1920 = 202.5, rounded up; (640 - 203) / 2 = 218.5.
        Row(
            size: (640, 360),
            gravity: .resizeAspectFill,
            target: (1080, 1920),
            source: rect(218, 0, 203, 360),
            video: rect(-1167, 0, 3413, 1920)
        ),
        // 3 / 2 = 1.5, rounded up; (3 - 2) / 2 = 0.5.
        Row(size: (2, 1), target: (3, 3), source: rect(0, 0, 2, 1), video: rect(0, 0, 3, 2)),
        // Displayed as 1024x576, then rotated: 576x1024.
        Row(
            size: (720, 576),
            aspect: Rational(64, 45),
            rotation: .clockwise90,
            target: (288, 1024),
            source: rect(0, 0, 720, 576),
            video: rect(0, 256, 288, 512)
        ),
        // 288 of the 1024 displayed columns: 202.5 of the 720 coded pixels, rounded up; (720 - 203) / 2 = 258.5.
        Row(
            size: (720, 576),
            aspect: Rational(64, 45),
            gravity: .resizeAspectFill,
            target: (288, 576),
            source: rect(258, 0, 203, 576),
            video: rect(-368, 0, 1024, 576)
        ),
        // A side has at least one pixel.
        Row(size: (8192, 3), target: (100, 100), source: rect(0, 0, 8192, 3), video: rect(0, 49, 100, 1)),
    ]

    @Test("Rectangles computed by hand", arguments: rows.indices)
    func byHand(_ index: Int) {
        let row = Self.rows[index]
        let shape = VideoShape(
            size: PixelSize(width: row.size.0, height: row.size.1),
            pixelAspectRatio: row.aspect,
            rotation: row.rotation
        )
        let target = PixelSize(width: row.target.0, height: row.target.1)
        let geometry = VideoGeometry(shape, gravity: row.gravity, target: target)
        #expect(geometry.source == row.source)
        #expect(geometry.videoRect == row.video)
        let all = Self.rect(0, 0, row.target.0, row.target.1)
        #expect(geometry.destination == (row.gravity == .resizeAspectFill ? all : row.video))
    }

    @Test("Only the clean aperture is visible; an aperture outside the picture is ignored")
    func cleanAperture() {
        var shape = VideoShape(size: PixelSize(width: 1920, height: 1088))
        shape.cleanAperture = Self.rect(0, 4, 1920, 1080)
        let target = PixelSize(width: 960, height: 540)
        var geometry = VideoGeometry(shape, gravity: .resizeAspect, target: target)
        #expect(shape.presentationSize == PixelSize(width: 1920, height: 1080))
        #expect(geometry.source == Self.rect(0, 4, 1920, 1080))
        #expect(geometry.bars.isEmpty && !geometry.isIdentity)
        let square = PixelSize(width: 1080, height: 1080)
        geometry = VideoGeometry(shape, gravity: .resizeAspectFill, target: square)
        #expect(geometry.source == Self.rect(420, 4, 1080, 1080))
        shape.cleanAperture = Self.rect(-10, 1000, 100, .max)
        geometry = VideoGeometry(shape, gravity: .resize, target: square)
        #expect(geometry.source == Self.rect(0, 1000, 90, 88))
        for beside in [Self.rect(1920, 0, 5, 5), Self.rect(0, 0, 0, 9), Self.rect(.min, .min, .max, .max)] {
            shape.cleanAperture = beside
            geometry = VideoGeometry(shape, gravity: .resize, target: square)
            #expect(geometry.source == Self.rect(0, 0, 1920, 1088))
        }
    }

    @Test("Extreme sizes and pixel aspect ratios do not overflow")
    func hostile() {
        let sides = [
            Int.min, -1, 0, 1, 2, 65_535, Int(Int32.max) - 1, Int(Int32.max), Int(Int32.max) + 1, .max,
        ]
        let parts: [Int32] = [.min, -1, 0, 1, .max - 1, .max]
        let limit = Int(Int32.max)
        for width in sides {
            for height in sides {
                let size = PixelSize(width: width, height: height)
                for (top, bottom) in parts.flatMap({ top in parts.map { (top, $0) } }) {
                    let aspect = Rational(top, bottom)
                    let shape = VideoShape(size: size, pixelAspectRatio: aspect, rotation: .clockwise90)
                    let shown = shape.presentationSize
                    #expect(shown.isEmpty == size.isEmpty && max(shown.width, shown.height) <= limit)
                    let scaled = shape.scaled(to: PixelSize(width: 3, height: 2)).pixelAspectRatio
                    #expect(scaled.isPositive == aspect.isPositive || size.isEmpty)
                    for gravity in [VideoGravity.resizeAspect, .resizeAspectFill, .resize] {
                        for target in [
                            size, PixelSize(width: height, height: width), PixelSize(width: 9, height: .max),
                        ] {
                            let geometry = VideoGeometry(shape, gravity: gravity, target: target)
                            #expect(geometry.source.size.isEmpty == (size.isEmpty || target.isEmpty))
                            #expect(geometry.destination.size.isEmpty == geometry.source.size.isEmpty)
                            _ = geometry.bars
                        }
                    }
                    #expect(max(VideoGeometry(shape, inside: size).target.width, 0) <= limit)
                }
            }
        }
    }

    @Test(
        "Inside bounds: its own size, or as small as it must be, from the exact ratio",
        arguments: [
            ((0, 0), "1138x640"), ((4000, 0), "1138x640"), ((0, 64), "114x64"), ((320, 320), "320x180"),
            ((1137, -1), "1137x640"), ((1, 1), "1x1"),
        ] as [((Int, Int), String)]
    )
    func inside(_ bounds: (Int, Int), _ size: String) {
        // Displayed as 1137.78 x 640: exactly 16:9.
        let shape = VideoShape(
            size: PixelSize(width: 800, height: 640),
            pixelAspectRatio: Rational(64, 45),
            rotation: .half
        )
        let geometry = VideoGeometry(shape, inside: PixelSize(width: bounds.0, height: bounds.1))
        #expect(geometry.target.description == size)
        #expect(geometry.bars.isEmpty && geometry.source.size == shape.size && geometry.rotation == .half)
        #expect(VideoGeometry(shape, inside: nil).target.description == "1138x640")
    }

    @Test("A scaled shape is displayed in the same shape, exactly if the fraction fits")
    func scaled() {
        let shape = VideoShape(size: PixelSize(width: 64, height: 32))
        let square = shape.scaled(to: PixelSize(width: 32, height: 32))
        #expect(square.pixelAspectRatio == Rational(2, 1))
        #expect(square.scaled(to: shape.size) == shape)
        #expect(shape.scaled(to: .zero).pixelAspectRatio == Rational(1, 1))
        // 1001 * 1000003 * 65521 : 999 * 999983 * 65537 has no common divisor and does not fit.
        let odd = VideoShape(
            size: PixelSize(width: 1_000_003, height: 999_983),
            pixelAspectRatio: Rational(1001, 999)
        )
        let other = odd.scaled(to: PixelSize(width: 65_537, height: 65_521)).pixelAspectRatio
        let exact = 1001.0 * 1_000_003 * 65_521 / (999.0 * 999_983 * 65_537)
        #expect(abs(other.doubleValue / exact - 1) < 1e-8)
        let turned = VideoShape(
            size: PixelSize(width: 720, height: 576),
            pixelAspectRatio: Rational(16, 15),
            rotation: .clockwise270,
            isMirrored: true
        )
        let upright = VideoShape(size: PixelSize(width: 576, height: 720), pixelAspectRatio: Rational(15, 16))
        #expect(turned.upright == upright)
        // 768x576 rotated by a quarter turn; the upright width makes the pixels square again.
        #expect(turned.presentationSize == PixelSize(width: 576, height: 768))
        #expect(upright.presentationSize == PixelSize(width: 540, height: 720))
    }
}
