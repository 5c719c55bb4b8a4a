import Foundation
import PlayheadCore
import Testing

/// Tests the names of languages, against those of Foundation.
@Suite("Names of languages")
struct LanguageNamesTests {
    @Test("A language of two letters has the three letters that Foundation knows, and the other way round")
    func codes() {
        let letters = (0x61...0x7A).map { String(Unicode.Scalar(UInt8($0))) }
        var count = 0
        for short in letters.flatMap({ first in letters.map { first + $0 } }) {
            guard let long = Locale.Language(identifier: short).languageCode?.identifier(.alpha3),
                Locale.LanguageCode(long).identifier(.alpha2) == short
            else { continue }
            count += 1
            #expect(LanguageNames.all(short).isSuperset(of: [short, long]))
            #expect(LanguageNames.all(long).isSuperset(of: [short, long]))
        }
        #expect(count >= 180)
    }

    @Test("A language has its two codes of ISO 639-2, without its region and in small letters")
    func forms() {
        #expect(LanguageNames.all("de") == ["de", "deu", "ger"])
        #expect(LanguageNames.all("GER") == ["de", "deu", "ger"])
        #expect(LanguageNames.all("pt-BR") == ["pt-br", "pt", "por"])
        #expect(LanguageNames.all("en_GB") == ["en_gb", "en", "eng"])
        #expect(LanguageNames.all("gsw") == ["gsw"])
        #expect(LanguageNames.all("iw").isSuperset(of: ["iw", "he", "heb"]))
        #expect(LanguageNames.all("sh").isSuperset(of: ["sh", "hbs", "sr", "srp"]))
        #expect(LanguageNames.all("de_AT.UTF-8@euro").isSuperset(of: ["de", "deu", "ger"]))
        #expect(LanguageNames.all("") == [""])
    }
}
