package io.redelay.queue.admin.engine.instance;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockInfo;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.LockUse;
import io.redelay.lock.MyLockType;
import io.redelay.lock.redisson.StoredHolds;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.store.QueueAdminStore;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * Knows the locks that instances tell of, and asks Redis about single ones.
 *
 * @since 0.1.0
 */
public final class LockDirectory implements LockAdmin {

	private final InstanceDirectory instances;

	private final StoredHolds stored;

	private final LockTemplate template;

	/**
	 * Creates a directory.
	 * @param store knows the instances
	 * @param mapper reads what they tell
	 * @param stored asks Redis about locks
	 * @param template knows the keys of locks
	 */
	public LockDirectory(QueueAdminStore store, JsonMapper mapper, StoredHolds stored, LockTemplate template) {
		this.instances = new InstanceDirectory(store, mapper);
		this.stored = stored;
		this.template = template;
	}

	@Override
	public List<LockInfo> locks() {
		List<LockInfo> locks = new ArrayList<>(told(StoreCalls.await(this.instances.describe()), null).values());
		locks.sort(Comparator.comparingInt((LockInfo lock) -> lock.waiters().size())
			.reversed()
			.thenComparing(LockDirectory::oldest));
		return locks;
	}

	@Override
	public List<LockInfo> lock(String name) {
		Assert.hasText(name, "'name' must not be blank: give the name of the lock, without the prefix of its key");
		List<InstanceDirectory.Told> all = StoreCalls.await(this.instances.describe());
		Map<Id, LockInfo> told = told(all, name);
		Set<String> providers = new LinkedHashSet<>();
		told.keySet().stream().map(Id::type).filter((type) -> builtIn(type) == null).forEach(providers::add);
		List<LockInfo> locks = new ArrayList<>();
		hold(locks, told, all, name, MyLockType.RE_ENTRANT_LOCK);
		hold(locks, told, all, name, MyLockType.READ_LOCK);
		for (String provider : providers) {
			LockInfo lock = Objects.requireNonNull(told.get(new Id(name, provider)));
			List<StoredHolds.Hold> holds = this.stored.of(this.template.key(LockSpec.of(name).withProvider(provider)));
			locks.add(holds.isEmpty() ? lock : new LockInfo(name, provider, holders(holds, lock, all), lock.waiters()));
		}
		return locks;
	}

	/**
	 * Adds the locks of the types that share a key: plain and fair ones, or read and
	 * write locks.
	 */
	private void hold(List<LockInfo> locks, Map<Id, LockInfo> told, List<InstanceDirectory.Told> all, String name,
			MyLockType first) {
		boolean pair = first == MyLockType.READ_LOCK;
		MyLockType second = pair ? MyLockType.WRITE_LOCK : MyLockType.FAIR_LOCK;
		List<StoredHolds.Hold> holds = this.stored.of(this.template.key(LockSpec.of(name).withType(first)));
		LockInfo fair = told.get(new Id(name, second.name()));
		LockInfo plain = told.get(new Id(name, first.name()));
		if (pair) {
			add(locks, name, first, holds.stream().filter((hold) -> !hold.writing()).toList(), plain, all);
			add(locks, name, second, holds.stream().filter(StoredHolds.Hold::writing).toList(), fair, all);
			return;
		}
		// Redis does not tell a fair lock that is held from another one.
		boolean isFair = fair != null && (plain == null || plain.holders().isEmpty());
		add(locks, name, first, isFair ? List.of() : holds, plain, all);
		add(locks, name, second, isFair ? holds : List.of(), fair, all);
	}

	private static void add(List<LockInfo> locks, String name, MyLockType type, List<StoredHolds.Hold> holds,
			@Nullable LockInfo told, List<InstanceDirectory.Told> all) {
		List<LockInfo.Waiter> waiters = (told != null) ? told.waiters() : List.of();
		if (!holds.isEmpty() || !waiters.isEmpty()) {
			locks.add(new LockInfo(name, type.name(), holders(holds, told, all), waiters));
		}
	}

	/**
	 * Who holds a lock by Redis, with what its instance tells of it.
	 */
	private static List<LockInfo.Holder> holders(List<StoredHolds.Hold> holds, @Nullable LockInfo told,
			List<InstanceDirectory.Told> all) {
		List<LockInfo.Holder> known = new ArrayList<>((told != null) ? told.holders() : List.of());
		List<LockInfo.Holder> holders = new ArrayList<>();
		for (StoredHolds.Hold hold : holds) {
			holders.add(holder(hold, known, all));
		}
		return holders;
	}

	private static LockInfo.Holder holder(StoredHolds.Hold hold, List<LockInfo.Holder> known,
			List<InstanceDirectory.Told> all) {
		for (InstanceDirectory.Told each : all) {
			if (hold.client().equals(each.description().client())) {
				String instance = each.stored().name();
				for (LockInfo.Holder holder : known) {
					if (instance.equals(holder.instance())) {
						known.remove(holder);
						return new LockInfo.Holder(instance, holder.name(), holder.thread(), holder.queue(),
								holder.since(), hold.lease());
					}
				}
				return new LockInfo.Holder(instance, each.description().name(), null, null, null, hold.lease());
			}
		}
		return new LockInfo.Holder(null, hold.client(), null, null, null, hold.lease());
	}

	/**
	 * The locks that instances tell of.
	 * @param name the only name that matters, or {@code null} for all
	 */
	private static Map<Id, LockInfo> told(List<InstanceDirectory.Told> all, @Nullable String name) {
		Map<Id, List<LockInfo.Holder>> holders = new LinkedHashMap<>();
		Map<Id, List<LockInfo.Waiter>> waiters = new LinkedHashMap<>();
		Set<Id> ids = new LinkedHashSet<>();
		for (InstanceDirectory.Told each : all) {
			String instance = each.stored().name();
			Instant toldAt = each.toldAt();
			for (LockUse use : each.description().locks()) {
				if (name != null && !name.equals(use.name())) {
					continue;
				}
				Id id = new Id(use.name(), use.type());
				ids.add(id);
				Instant since = toldAt.minus(use.time());
				if (use.held()) {
					holders.computeIfAbsent(id, (key) -> new ArrayList<>())
						.add(new LockInfo.Holder(instance, each.description().name(), use.thread(), use.queue(), since,
								null));
				}
				else {
					waiters.computeIfAbsent(id, (key) -> new ArrayList<>())
						.add(new LockInfo.Waiter(instance, each.description().name(), use.thread(), use.queue(),
								since));
				}
			}
		}
		Map<Id, LockInfo> locks = new LinkedHashMap<>();
		for (Id id : ids) {
			List<LockInfo.Waiter> waiting = waiters.getOrDefault(id, new ArrayList<>());
			waiting.sort(Comparator.comparing(LockInfo.Waiter::since));
			locks.put(id, new LockInfo(id.name(), id.type(), holders.getOrDefault(id, List.of()), waiting));
		}
		return locks;
	}

	private static Instant oldest(LockInfo lock) {
		return lock.holders()
			.stream()
			.map(LockInfo.Holder::since)
			.filter(Objects::nonNull)
			.min(Comparator.naturalOrder())
			.orElse(Instant.MAX);
	}

	private static @Nullable MyLockType builtIn(String type) {
		for (MyLockType each : MyLockType.values()) {
			if (each.name().equals(type)) {
				return each;
			}
		}
		return null;
	}

	/**
	 * What tells locks apart.
	 */
	private record Id(String name, String type) {

	}

}
