import MediaCore
import Testing

@Suite("Conversion of floating-point values to integers")
struct ClampingTests {
    @Test(
        "A value out of range is clamped, and NaN is 0",
        arguments: [
            (.nan, 0), (.infinity, .max), (-.infinity, .min), (0x1p63, .max), (-0x1p63, .min), (1e300, .max),
            (0x1p63.nextDown, 9_223_372_036_854_774_784), (2.9, 2), (-2.9, -2), (-0.0, 0),
        ] as [(Double, Int64)]
    )
    func wide(_ value: Double, _ expected: Int64) {
        #expect(Int64(clamping: value) == expected)
    }

    @Test(
        "Narrow and unsigned types are clamped at their own bounds",
        arguments: [(255.5, 255), (-1, 0), (-0.5, 0), (254.9, 254), (.nan, 0)] as [(Double, UInt8)]
    )
    func narrow(_ value: Double, _ expected: UInt8) {
        #expect(UInt8(clamping: value) == expected)
    }
}
