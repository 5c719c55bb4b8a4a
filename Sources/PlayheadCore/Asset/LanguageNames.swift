/// The codes that containers use for a language.
package enum LanguageNames {
    /// The bibliographic codes of languages that have two codes in ISO 639-2. Containers use either.
    private static let bibliographic = [
        "sqi": "alb", "hye": "arm", "eus": "baq", "mya": "bur", "zho": "chi", "ces": "cze", "nld": "dut",
        "fra": "fre", "kat": "geo", "deu": "ger", "ell": "gre", "isl": "ice", "mkd": "mac", "mri": "mao",
        "msa": "may", "fas": "per", "ron": "rum", "slk": "slo", "bod": "tib", "cym": "wel",
    ]

    /// Codes that were withdrawn, and their successors.
    private static let withdrawn = [
        "in": "id", "iw": "he", "ji": "yi", "jw": "jv", "mo": "ro", "sh": "sr",
    ]

    /// The codes of ISO 639-1, each with that of ISO 639-2. Foundation has them in its Unicode tables of 37 MB.
    private static let pairs: [(short: String, long: String)] = {
        let codes = """
            aa aar ab abk ae ave af afr ak aka am amh an arg ar ara as asm av ava ay aym az aze ba bak be bel bg bul bh bih bi bis
            bm bam bn ben bo bod br bre bs bos ca cat ce che ch cha co cos cr cre cs ces cu chu cv chv cy cym da dan de deu dv div dz dzo
            ee ewe el ell en eng eo epo es spa et est eu eus fa fas ff ful fi fin fj fij fo fao fr fra fy fry ga gle gd gla gl glg gn grn
            gu guj gv glv ha hau he heb hi hin ho hmo hr hrv ht hat hu hun hy hye hz her ia ina id ind ie ile ig ibo ii iii ik ipk io ido
            is isl it ita iu iku ja jpn jv jav ka kat kg kon ki kik kj kua kk kaz kl kal km khm kn kan ko kor kr kau ks kas ku kur kv kom
            kw cor ky kir la lat lb ltz lg lug li lim ln lin lo lao lt lit lu lub lv lav mg mlg mh mah mi mri mk mkd ml mal mn mon mr mar
            ms msa mt mlt my mya na nau nb nob nd nde ne nep ng ndo nl nld nn nno no nor nr nbl nv nav ny nya oc oci oj oji om orm or ori
            os oss pa pan pi pli pl pol ps pus pt por qu que rm roh rn run ro ron ru rus rw kin sa san sc srd sd snd se sme sg sag sh hbs
            si sin sk slk sl slv sm smo sn sna so som sq sqi sr srp ss ssw st sot su sun sv swe sw swa ta tam te tel tg tgk th tha ti tir
            tk tuk tl tgl tn tsn to ton tr tur ts tso tt tat tw twi ty tah ug uig uk ukr ur urd uz uzb ve ven vi vie vo vol wa wln wo wol
            xh xho yi yid yo yor za zha zh zho zu zul
            """.split { $0.isWhitespace }.map(String.init)
        return stride(from: 0, to: codes.count - 1, by: 2).map { (codes[$0], codes[$0 + 1]) }
    }()

    /// Returns the codes for a language, in lower case.
    ///
    /// - Parameter language: A BCP 47 tag or an ISO 639 code, such as "de", "deu", "ger" or "pt-BR", or a name of a locale.
    /// - Returns: The tag itself, and the codes of the language without a region.
    package static func all(_ language: String) -> Set<String> {
        let name = language.lowercased()
        let code = String(name.prefix { !"-_.@".contains($0) })
        var names: Set = [name, code]
        let known = [bibliographic.first { $0.value == code }?.key ?? code, withdrawn[code]].compactMap(
            \.self
        )
        for known in known {
            names.insert(known)
            guard let pair = pairs.first(where: { $0.short == known || $0.long == known }) else { continue }
            names.formUnion([pair.short, pair.long])
        }
        names.formUnion(names.compactMap { bibliographic[$0] })
        return names
    }
}
