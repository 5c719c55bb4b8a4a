import Playhead

/// The posters that layers show until their clips have frames.
extension FeedPlayerPool {
    /// A poster that a layer needs. It does not retain the layer, which retains its poster request.
    private struct Need: Sendable {
        let id: ID
        /// The number of the assignment of the layer to the clip.
        let number: UInt64
        let shape: PosterShape
        let performOnSinkLane: @Sendable (@escaping @Sendable () -> Void) -> Void
        private weak var layer: FeedLayer?

        init(_ id: ID, _ binding: LayerBinding, _ shape: PosterShape) {
            self.id = id
            self.shape = shape
            performOnSinkLane = binding.performOnSinkLane
            (number, layer) = (binding.number, binding.layer)
        }

        /// The layer, if it still shows the clip and needs a poster of this shape.
        var currentLayer: FeedLayer? {
            guard let layer, layer.binding == number, layer.posterShape == shape else { return nil }
            return layer
        }

        func show(_ poster: VideoFrame) { layer?.show(poster, shape, for: number) }
        /// Releases the request that has been answered.
        func endRequest() { layer?.endPoster(shape, for: number) }
    }

    /// Requests the poster of a clip, if its layer needs one.
    func requestPoster(of id: ID) {
        guard !isClosed, let binding = layers[id], binding.isCurrent, let shape = binding.layer.posterShape
        else { return }
        let need = Need(id, binding, shape)
        let poster: FeedPoster = published.withLock { $0.onPoster }?(id) ?? .firstFrame
        switch poster {
        case .firstFrame: requestFirstFrame(for: need)
        case .asset(let thumbnail): requestPoster(of: thumbnail, isThumbnail: true, for: need)
        case .frame(let frame): layOut(frame, for: need)
        case .none: break
        }
    }

    /// Makes the posters of all layers again that show no frames, after the handler that chooses posters has changed.
    func remakePosters() {
        for (id, binding) in layers where binding.isCurrent && binding.layer.content != .video { rebind(id) }
    }

    private func requestFirstFrame(for need: Need) {
        guard !isClosed, need.currentLayer != nil, let asset = asset(of: need.id) else { return }
        requestPoster(of: asset, isThumbnail: false, for: need)
    }

    private func requestPoster(of asset: Asset, isThumbnail: Bool, for need: Need) {
        // The state of a file is read on a lane that may block.
        need.performOnSinkLane { [weak self, clock] in
            let version = AssetVersion(asset)
            clock.enqueue { [weak self] in
                self?.showPoster(of: asset, version, isThumbnail: isThumbnail, for: need)
            }
        }
    }

    private func showPoster(of asset: Asset, _ version: AssetVersion?, isThumbnail: Bool, for need: Need) {
        guard !isClosed, let layer = need.currentLayer else { return }
        let show: @Sendable (VideoFrame) -> Void = { frame in
            need.performOnSinkLane { need.show(frame) }
        }
        if let known = posters.poster(of: asset, version, need.shape) { return show(known) }
        if !isThumbnail, asset.isRemote, !core.allowsPosters {
            deferredPosters.insert(need.id)
            return
        }
        guard layer.beginPoster(need.shape, for: need.number) else { return }
        let request = posters.makePoster(of: asset, version, need.shape, configuration) {
            [weak self, clock] result in
            need.endRequest()
            switch result {
            case .success(let frame): show(frame)
            case .failure(let error) where isThumbnail && error.code != .cancelled:
                clock.enqueue { [weak self] in self?.requestFirstFrame(for: need) }
            case .failure: break
            }
        }
        layer.retain(request, need.shape, for: need.number)
    }

    /// Shows a frame of the application.
    private func layOut(_ frame: VideoFrame, for need: Need) {
        need.performOnSinkLane { [weak self, clock, configuration] in
            let shape = need.shape
            do throws(MediaError) {
                need.show(
                    try configuration.image(
                        of: frame,
                        size: shape.size,
                        gravity: shape.gravity,
                        background: shape.background,
                        pixelFormats: shape.pixelFormats,
                        isUpright: shape.isUpright
                    )
                )
            } catch {
                clock.enqueue { [weak self] in self?.requestFirstFrame(for: need) }
            }
        }
    }

    func requestDeferredPosters() {
        guard core.allowsPosters, !deferredPosters.isEmpty else { return }
        let ids = deferredPosters
        deferredPosters = []
        for id in ids { requestPoster(of: id) }
    }
}
