package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.WaitingKeys;
import io.redelay.queue.admin.WaitingKeys.Limit;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.KeysScript;
import io.redelay.queue.script.admin.LanesScript;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys that have waiting messages, and how much is used of the limits that
 * instances announce.
 */
record KeyReader(AdminScripts store, InstanceDirectory instances) {

	private static final int MOST = 100;

	/**
	 * Reads those of a queue: one script a partition, one for the limits that are set,
	 * and two for the instances.
	 */
	WaitingKeys read(String queue, List<String> partitions) {
		List<InstanceInfo> announced = StoreCalls.await(this.instances.ask());
		List<ListenedQueue> listened = InstanceDirectory.listened(announced)
			.filter((each) -> each.queue().equals(queue))
			.toList();
		ClaimLimits set = StoreCalls.await(this.store.count().run(partitions.get(0))).limits().claims();
		List<RateLimit> rates = (set.rate() != null) ? List.of(set.rate())
				: distinct(listened.stream().map((each) -> rate(each.rateLimit())));
		List<KeysScript.StoredKeys> seen = partitions.stream()
			.map((partition) -> new KeysScript(this.store.runner()).run(partition, rates))
			.toList()
			.stream()
			.map(StoreCalls::await)
			.toList();
		return new WaitingKeys(queue,
				seen.stream().map(KeysScript.StoredKeys::time).max(Instant::compareTo).orElseThrow(),
				seen.stream().allMatch(KeysScript.StoredKeys::complete), ordering(seen, announced), fairness(seen),
				limits(listened, set, rates, seen));
	}

	private static List<WaitingKeys.OrderingKey> ordering(List<KeysScript.StoredKeys> seen,
			List<InstanceInfo> announced) {
		Map<String, String> names = new HashMap<>();
		announced.forEach((instance) -> names.put(instance.instance(), instance.name()));
		// An ordering key is in one partition, except while the number of partitions
		// changes.
		return seen.stream()
			.flatMap((partition) -> partition.ordering().stream())
			.sorted(Comparator.comparingLong(KeysScript.StoredKeys.Ordering::waiting).reversed())
			.limit(MOST)
			.map((key) -> {
				String instance = (key.lane() != null) ? LanesScript.Lane.instanceOf(key.lane()) : null;
				return new WaitingKeys.OrderingKey(key.key(), key.waiting(), key.uid(), instance,
						(instance != null) ? names.get(instance) : null);
			})
			.toList();
	}

	private static List<WaitingKeys.FairnessKey> fairness(List<KeysScript.StoredKeys> seen) {
		Map<String, WaitingKeys.FairnessKey> sums = new LinkedHashMap<>();
		seen.stream()
			.flatMap((partition) -> partition.fairness().stream())
			.map((key) -> new WaitingKeys.FairnessKey(key.key(), key.waiting(), key.held(), key.blocked(),
					key.gatedUntil()))
			.forEach((key) -> sums.merge(key.key(), key, KeyReader::sum));
		return sums.values()
			.stream()
			.sorted(Comparator.comparingLong(WaitingKeys.FairnessKey::waiting).reversed())
			.limit(MOST)
			.toList();
	}

	private static WaitingKeys.FairnessKey sum(WaitingKeys.FairnessKey one, WaitingKeys.FairnessKey other) {
		return new WaitingKeys.FairnessKey(one.key(), one.waiting() + other.waiting(),
				one.inFlight() + other.inFlight(), one.heldBack() || other.heldBack(),
				QueueCounter.later(one.gatedUntil(), other.gatedUntil()));
	}

	private static List<Limit> limits(List<ListenedQueue> listened, ClaimLimits set, List<RateLimit> rates,
			List<KeysScript.StoredKeys> seen) {
		Set<Limit> limits = new LinkedHashSet<>();
		for (int i = 0; i < rates.size(); i++) {
			RateLimit rate = rates.get(i);
			int asked = i;
			long allowed = seen.stream().mapToLong((partition) -> partition.allowed().get(asked)).sum();
			limits.add(new Limit("rateLimit", Limit.Kind.RATE, rate.count(), rate.period(),
					rate.bursting() ? rate.count() - allowed : null, allowed == 0));
		}
		long held = seen.stream().mapToLong(KeysScript.StoredKeys::held).sum();
		add(limits, "maxInFlight", set.maxInFlight(), held);
		add(limits, "keyRateLimit", set.keyRate());
		add(limits, "keyMaxInFlight", set.keyMaxInFlight(), null);
		for (ListenedQueue each : listened) {
			add(limits, "maxInFlight", (set.maxInFlight() == null) ? each.maxInFlight() : null, held);
			add(limits, "keyRateLimit", (set.keyRate() == null) ? rate(each.keyRateLimit()) : null);
			add(limits, "keyMaxInFlight", (set.keyMaxInFlight() == null) ? each.keyMaxInFlight() : null, null);
			add(limits, "sharedLimit " + each.sharedLimit(), rate(each.sharedRateLimit()));
			add(limits, "sharedLimit " + each.sharedLimit(), each.sharedMaxInFlight(), null);
		}
		return limits.stream().limit(MOST).toList();
	}

	private static void add(Collection<Limit> limits, String name, @Nullable RateLimit rate) {
		if (rate != null) {
			limits.add(new Limit(name, Limit.Kind.RATE, rate.count(), rate.period(), null, false));
		}
	}

	private static void add(Collection<Limit> limits, String name, @Nullable Integer most, @Nullable Long used) {
		if (most != null) {
			limits.add(new Limit(name, Limit.Kind.IN_FLIGHT, most, null, used, used != null && used >= most));
		}
	}

	private static @Nullable RateLimit rate(@Nullable String text) {
		return (text != null) ? RateLimit.parse(text) : null;
	}

	private static List<RateLimit> distinct(Stream<@Nullable RateLimit> rates) {
		List<RateLimit> distinct = new ArrayList<>();
		rates.forEach((rate) -> {
			if (rate != null && !distinct.contains(rate) && distinct.size() < MOST) {
				distinct.add(rate);
			}
		});
		return distinct;
	}

}
