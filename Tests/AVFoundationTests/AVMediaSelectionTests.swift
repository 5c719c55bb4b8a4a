import AVFoundation
import MediaCore
import PlayheadTesting
import TestSupport
import Testing

@Suite("Media selection, metadata and logs")
struct AVMediaSelectionTests {
    @Test("Groups, options, selection and its notification", .enabled(if: Fixture.areThere, "make fixtures"))
    func selection() async throws {
        let asset = AVURLAsset(url: Fixture.url("two-languages.mkv"))
        #expect(
            try await asset.load(.availableMediaCharacteristicsWithMediaSelectionOptions).contains(.audible)
        )
        let group = try #require(try await asset.loadMediaSelectionGroup(for: .audible))
        #expect(group == asset.mediaSelectionGroup(forMediaCharacteristic: .audible))
        #expect(group.options.count == 2 && group.defaultOption == group.options[0])
        #expect(group.allowsEmptySelection)
        let languages = group.options.compactMap(\.extendedLanguageTag)
        #expect(Set(languages).count == 2)
        for (option, language) in zip(group.options, languages) {
            #expect(option.hasMediaCharacteristic(.audible) && !option.hasMediaCharacteristic(.legible))
            #expect(option.hasMediaCharacteristic(.isMainProgramContent))
            #expect(option.isPlayable && option.mediaType == .audio && !option.displayName.isEmpty)
            #expect(group.mediaSelectionOption(withPropertyList: option.propertyList()) == option)
            let matches = AVMediaSelectionGroup.mediaSelectionOptions(
                from: group.options,
                with: Locale(identifier: language)
            )
            #expect(matches == [option])
        }
        let sorted = AVMediaSelectionGroup.mediaSelectionOptions(
            from: group.options,
            filteredAndSortedAccordingToPreferredLanguages: languages.reversed()
        )
        #expect(sorted == group.options.reversed())
        #expect(
            AVMediaSelectionGroup.mediaSelectionOptions(
                from: group.options,
                withoutMediaCharacteristics: [.audible]
            ).isEmpty
        )
        #expect(
            AVMediaSelectionGroup.mediaSelectionOptions(
                from: group.options,
                withMediaCharacteristics: [.audible]
            ) == AVMediaSelectionGroup.playableMediaSelectionOptions(from: group.options)
        )
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        #expect(item.currentMediaSelection.selectedMediaOption(in: group) == group.options[0])
        #expect(item.currentMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(in: group))
        let before = item.currentMediaSelection
        item.select(group.options[1], in: group)
        #expect(item.selectedMediaOption(in: group) == group.options[1])
        #expect(item.currentMediaSelection != before && item.currentMediaSelection.asset === asset)
        #expect(!item.currentMediaSelection.mediaSelectionCriteriaCanBeAppliedAutomatically(in: group))
        item.select(nil, in: group)
        #expect(item.selectedMediaOption(in: group) == nil)
        item.selectMediaOptionAutomatically(in: group)
        #expect(item.currentMediaSelection == before)
        let criteria = AVPlayerMediaSelectionCriteria(
            preferredLanguages: [languages[1]],
            preferredMediaCharacteristics: [.isOriginalContent]
        )
        player.setMediaSelectionCriteria(criteria, forMediaCharacteristic: .audible)
        let stored = player.mediaSelectionCriteria(forMediaCharacteristic: .audible)
        #expect(stored?.preferredLanguages == [languages[1]])
        #expect(stored?.preferredMediaCharacteristics == [.isOriginalContent])
        #expect(item.selectedMediaOption(in: group) == group.options[1])
        player.setMediaSelectionCriteria(nil, forMediaCharacteristic: .audible)
        #expect(player.mediaSelectionCriteria(forMediaCharacteristic: .audible) == nil)
        #expect(item.selectedMediaOption(in: group) == group.options[0])
    }

    @Test("A selection is observed by key path while a player has the item")
    func observing() throws {
        let bench = AdapterBench(.clip())
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        bench.run(0)
        let group = try #require(item.asset.mediaSelectionGroup(forMediaCharacteristic: .audible))
        let observation = item.observe(\.currentMediaSelection, options: [.new]) { item, change in
            let selected = change.newValue?.selectedMediaOption(in: group)
            bench.add("\(selected == nil) \(item.selectedMediaOption(in: group) == nil)")
        }
        player.play()
        bench.run(0.2)
        item.select(nil, in: group)
        bench.run(1)
        #expect(bench.lines() == ["true true"])
        item.select(group.options[0], in: group)
        bench.run(0.5)
        #expect(bench.lines() == ["false false"])
        observation.invalidate()
    }

    @Test(
        "Metadata by common keys, identifiers and FFmpeg's names",
        .enabled(if: Fixture.areThere, "make fixtures")
    )
    func metadata() async throws {
        let asset = AVURLAsset(url: Fixture.url("two-languages.mkv"))
        let items = try await asset.load(.metadata)
        let software = try #require(items.first { $0.commonKey == .commonKeySoftware })
        #expect(software.identifier == .commonIdentifierSoftware && software.keySpace == .ffmpeg)
        #expect(software.key as? NSString == "encoder")
        #expect(try await software.load(.stringValue)?.hasPrefix("Lavf") == true)
        #expect(software.value as? NSString != nil && software.dataValue == nil)
        let common = asset.commonMetadata
        #expect(!common.isEmpty && common.allSatisfy { $0.keySpace == .common && $0.commonKey != nil })
        let found = AVMetadataItem.metadataItems(
            from: common,
            filteredByIdentifier: .commonIdentifierSoftware
        )
        #expect(found.map(\.stringValue) == [software.stringValue])
        let byKey = AVMetadataItem.metadataItems(
            from: items,
            withKey: AVMetadataKey.commonKeySoftware,
            keySpace: .common
        )
        #expect(byKey == [software])
        #expect(AVMetadataItem.metadataItems(from: items, withKey: "encoder", keySpace: nil) == [software])
        #expect(AVMetadataItem.metadataItems(from: items, withKey: 7, keySpace: nil).isEmpty)
        #expect(
            asset.lyrics == nil && asset.chapterMetadataGroups(bestMatchingPreferredLanguages: []).isEmpty
        )
    }

    @Test("The access log has an entry for each play, and the error log for each error")
    func logs() {
        let bench = AdapterBench(.silentClip([.stall(atPacket: 25, until: 5)]))
        let player = bench.make { AVPlayer(url: bench.url) }
        let item = player.currentItem!
        let tokens = NotificationTokens()
        tokens.add(.AVPlayerItemNewAccessLogEntry, item) { _ in bench.add("access") }
        tokens.add(.AVPlayerItemNewErrorLogEntry, item) { _ in bench.add("error") }
        #expect(item.accessLog() == nil && item.errorLog() == nil)
        player.play()
        bench.run(10)
        #expect(bench.lines() == ["access"])
        let event = item.accessLog()!.events.last!
        #expect(item.accessLog()!.events.count == 1 && event.numberOfStalls == 1)
        #expect(
            event.numberOfBytesTransferred > 0 && event.startupTime >= 0 && event.uri == "file:///clip.mp4"
        )
        #expect(event.playbackType == "FILE" && event.indicatedBitrate == -1)
        #expect(item.errorLog() == nil)

        let broken = AdapterBench(.silentClip([.lost(fromPacket: 10)]))
        let second = broken.make { AVPlayer(url: broken.url) }
        second.play()
        broken.run(5)
        let error = second.currentItem!.errorLog()!.events.last!
        #expect(error.errorStatusCode == -11849 && error.errorDomain == AVFoundationErrorDomain)
        #expect(error.errorComment?.isEmpty == false && error.uri == "file:///clip.mp4")
    }
}
