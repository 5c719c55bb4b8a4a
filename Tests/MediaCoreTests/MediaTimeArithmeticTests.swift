import MediaCore
import Testing

private func time(_ value: Int64, _ timescale: Int32) -> MediaTime {
    MediaTime(value: value, timescale: timescale)
}

@Suite struct MediaTimeArithmeticTests {
    @Test(arguments: [
        (time(1, 600), time(2, 600), "0.005s (3/600)"),
        (time(1, 2), time(1, 3), "0.8333333333333334s (5/6)"),
        (time(1, 24), time(1, 600), "0.043333333333333335s (26/600)"),
        (time(1001, 30000), time(1, 90000), "0.03337777777777778s (3004/90000)"),
        (.zero, time(7, 90000), "7.777777777777778e-05s (7/90000)"),
        (time(1, 600), time(-1, 600), "0.0s (0/600)"),
        // The common multiple exceeds Int32, so the result has the finest timescale.
        (time(1, .max), time(1, .max - 1), "9.313225750491594e-10s (2/2147483647) rounded"),
        (time(1, .max), time(1, 1), "1.0000000004656613s (2147483648/2147483647)"),
        (time(1, 1_000_000_000), time(1, 90000), "1.1112075304199045e-05s (23863/2147483647) rounded"),
        // On overflow, the timescale is halved repeatedly.
        (time(.max, 600), time(1, 600), "1.5372286728091294e+16s (4611686018427387904/300)"),
        (time(.max, 4), time(.max, 4), "4.611686018427388e+18s (9223372036854775807/2)"),
        (time(.max, 3), time(.max, 3), "6.148914691236517e+18s (6148914691236517205/1) rounded"),
        (time(.min, 2), time(-1, 2), "-4.611686018427388e+18s (-4611686018427387905/1) rounded"),
        (time(.max, 1), time(1, 1), "+infinity"),
        (time(.min, 1), time(-1, 1), "-infinity"),
        (time(.max, 1), time(1, 3), "9.223372036854776e+18s (9223372036854775807/1) rounded"),
    ])
    func sums(a: MediaTime, b: MediaTime, expected: String) {
        let sum = a + b
        #expect(sum.shape == expected)
        #expect((b + a).shape == sum.shape)
    }

    /// The rows and columns of the table are: invalid, -infinity, a number, indefinite, +infinity.
    @Test func sumsWithoutNumbers() {
        let kinds: [MediaTime] = [.invalid, .negativeInfinity, time(5, 2), .indefinite, .positiveInfinity]
        let no = MediaTime.invalid
        let sums: [[MediaTime]] = [
            [no, no, no, no, no],
            [no, .negativeInfinity, .negativeInfinity, .negativeInfinity, no],
            [no, .negativeInfinity, time(10, 2), .indefinite, .positiveInfinity],
            [no, .negativeInfinity, .indefinite, .indefinite, .positiveInfinity],
            [no, no, .positiveInfinity, .positiveInfinity, .positiveInfinity],
        ]
        let differences: [[MediaTime]] = [
            [no, no, no, no, no],
            [no, no, .negativeInfinity, .negativeInfinity, .negativeInfinity],
            [no, .positiveInfinity, .zero, .indefinite, .negativeInfinity],
            [no, .positiveInfinity, .indefinite, .indefinite, .negativeInfinity],
            [no, .positiveInfinity, .positiveInfinity, .positiveInfinity, no],
        ]
        for (i, a) in kinds.enumerated() {
            for (j, b) in kinds.enumerated() {
                #expect(a + b == sums[i][j], "\(a) + \(b)")
                #expect(a - b == differences[i][j], "\(a) - \(b)")
            }
        }
        #expect(.indefinite - time(.min, 1) == .indefinite)
    }

    @Test func roundingIsPassedOn() {
        let rounded = MediaTime(seconds: 1.0 / 7, preferredTimescale: 600)
        #expect(rounded.hasBeenRounded)
        #expect((rounded + .zero).hasBeenRounded && (time(1, 600) - rounded).hasBeenRounded)
        #expect((-rounded).hasBeenRounded && (rounded * 2).hasBeenRounded && (rounded * 2.0).hasBeenRounded)
        #expect(
            rounded.rescaled(to: 1200).hasBeenRounded && rounded.multiplied(by: 3, over: 2).hasBeenRounded
        )
        #expect(!(rounded + .positiveInfinity).hasBeenRounded)
        #expect(!(time(1, 600) + time(1, 90000)).hasBeenRounded)
    }

    @Test func negationAndMagnitude() {
        #expect(-time(3, 4) == time(-3, 4) && (-time(3, 4)).timescale == 4)
        #expect((-time(.min, 2)).shape == "4.611686018427388e+18s (4611686018427387904/1)")
        #expect(-time(.min, 1) == .positiveInfinity)
        #expect(-MediaTime.positiveInfinity == .negativeInfinity && -MediaTime.invalid == .invalid)
        #expect(-MediaTime.indefinite == .indefinite)
        #expect(abs(time(-3, 4)) == time(3, 4) && abs(.negativeInfinity) == .positiveInfinity)
        #expect(abs(time(.min, 1)) == .positiveInfinity && abs(.invalid) == .invalid)
    }

    @Test func productsByWholeNumbers() {
        #expect((time(3, 600) * 4).shape == "0.02s (12/600)" && (-2 * time(3, 600)).value == -6)
        #expect((time(.max, 2) * 2).shape == "9.223372036854776e+18s (9223372036854775807/1)")
        #expect(time(.max, 1) * -2 == .negativeInfinity && time(.min, 1) * -1 == .positiveInfinity)
        #expect(
            MediaTime.positiveInfinity * -3 == .negativeInfinity && MediaTime.positiveInfinity * 0 == .invalid
        )
        #expect(MediaTime.indefinite * 3 == .indefinite && MediaTime.invalid * 3 == .invalid)
        #expect((time(600, 600) / 4).shape == "0.25s (150/600)")
        #expect((time(1, 600) / 7).shape == "0.0002380952380952381s (1/4200)")
        #expect(time(1, 600) / 0 == .positiveInfinity && time(-1, 600) / 0 == .negativeInfinity)
        #expect(time(0, 600) / 0 == .invalid)
    }

    @Test func productsByFractions() {
        #expect(time(600, 600).multiplied(by: 2, over: 3).shape == "0.6666666666666666s (400/600)")
        #expect(time(1, 1).multiplied(by: -1, over: 3).shape == "-0.3333333333333333s (-1/3)")
        #expect(time(1, 1).multiplied(by: .min, over: .min) == time(1, 1))
        #expect(time(.min, 1).multiplied(by: .min, over: .max) == .positiveInfinity)
        #expect(time(.max, .max).multiplied(by: 1, over: .max) == time(1, .max))
        let fine = time(1, .max).multiplied(by: 1, over: 3)
        #expect(fine.value == 0 && fine.timescale == .max && fine.hasBeenRounded)
        #expect(time(5, 1).multiplied(by: 0, over: 0) == .invalid)
        #expect(MediaTime.positiveInfinity.multiplied(by: 1, over: -2) == .negativeInfinity)
        #expect(MediaTime.positiveInfinity.multiplied(by: 0, over: 2) == .invalid)
        #expect(MediaTime.indefinite.multiplied(by: 1, over: 2) == .indefinite)
    }

    @Test func productsByDoubles() {
        #expect((time(1, 1) * 0.5).shape == "0.5s (32768/65536)")
        #expect((time(1, 600) * 1.5).shape == "0.0025s (165/66000)")
        #expect((0.25 * time(90000, 90000)).shape == "0.25s (22500/90000)")
        #expect((time(1, 90000) * (1.0 / 3)).shape == "0.0s (0/90000) rounded")
        #expect((time(-3, 1) * 2.0).seconds == -6 && !(time(-3, 1) * 2.0).hasBeenRounded)
        #expect(time(1, 1) * .nan == .invalid && .positiveInfinity * .nan == .invalid)
        #expect(time(-1, 1) * .infinity == .negativeInfinity && .zero * .infinity == .invalid)
        #expect(MediaTime.negativeInfinity * -0.5 == .positiveInfinity)
        #expect(MediaTime.negativeInfinity * 0.0 == .invalid && .indefinite * .infinity == .indefinite)
        #expect(time(.max, 1) * 1e300 == .positiveInfinity && time(.max, 1) * -2.0 == .negativeInfinity)
        #expect(time(.max, 1) * Double.leastNonzeroMagnitude == .zero)
        #expect((time(.max, 1) * 0x1p-70).seconds == Double(Int64.max) * 0x1p-70)
        #expect((time(1, 1) * Double.greatestFiniteMagnitude) == .positiveInfinity)
        #expect((time(0, 5) * Double.greatestFiniteMagnitude) == .zero)
    }
}
