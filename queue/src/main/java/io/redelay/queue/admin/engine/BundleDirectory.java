package io.redelay.queue.admin.engine;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.script.admin.BundlesScript;

/**
 * Lists bundles.
 */
record BundleDirectory(BundlesScript bundles) {

	/**
	 * How many are listed at most.
	 */
	static final int MOST = 1000;

	private static final String BEGINNING = "0";

	List<BundleInfo> list(String queue) {
		Map<String, BundleInfo> found = new TreeMap<>(); // pages may repeat a bundle
		String cursor = BEGINNING;
		do {
			BundlesScript.BundlePage page = StoreCalls.await(this.bundles.list(queue, cursor));
			page.bundles().forEach((bundle) -> found.put(bundle.id(), info(queue, bundle)));
			cursor = page.cursor();
		}
		while (!cursor.equals(BEGINNING) && found.size() < MOST);
		return found.values().stream().limit(MOST).toList();
	}

	Optional<BundleInfo> find(String queue, String id) {
		return StoreCalls.await(this.bundles.find(queue, id))
			.bundles()
			.stream()
			.findFirst()
			.map((bundle) -> info(queue, bundle));
	}

	private static BundleInfo info(String queue, BundlesScript.StoredBundle bundle) {
		int acknowledged = bundle.ends().getOrDefault("acknowledged", 0);
		int dead = bundle.ends().getOrDefault("dead", 0);
		return new BundleInfo(queue, bundle.id(), bundle.open(), bundle.times().openedAt(), bundle.times().openUntil(),
				bundle.times().movedAt(), bundle.added(), bundle.pending(), acknowledged, dead,
				bundle.added() - bundle.pending() - acknowledged - dead, bundle.cancelled(), bundle.results().kept(),
				bundle.results().leftOut());
	}

}
