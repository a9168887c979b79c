package io.redelay.lock.redisson;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.redelay.delivery.LockUse;
import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockInfo;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.MyLockType;
import io.redelay.lock.StoredHold;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Collects the locks that instances report, and reads single ones from Redis.
 *
 * @since 0.1.0
 */
public final class LockDirectory implements LockAdmin {

	/**
	 * The lines of how many fair locks are read for a list.
	 */
	private static final int MAX_LINES = 100;

	private static final Comparator<LockInfo> ORDER = Comparator.comparingInt((LockInfo lock) -> lock.waiters().size())
		.reversed()
		.thenComparing(LockDirectory::oldest);

	private final Supplier<CompletionStage<List<InstanceLocks>>> instances;

	private final StoredHolds stored;

	private final LockTemplate template;

	private final InstantSource clock;

	/**
	 * Creates a directory of the locks of all instances that report theirs.
	 * @param instances requests the reports
	 * @param stored reads locks from Redis
	 * @param template knows the keys of locks
	 * @param clock the clock by which instances reported
	 */
	public LockDirectory(Supplier<CompletionStage<List<InstanceLocks>>> instances, StoredHolds stored,
			LockTemplate template, InstantSource clock) {
		this.instances = instances;
		this.stored = stored;
		this.template = template;
		this.clock = clock;
	}

	/**
	 * Creates a directory for an application whose instances do not report their locks:
	 * it knows those of this instance.
	 * @param name the display name of this instance
	 * @param client the id of its Redis client
	 * @param stored reads locks from Redis
	 * @param template knows the locks of this instance
	 * @return the directory
	 */
	public static LockDirectory ofThisInstance(String name, String client, StoredHolds stored, LockTemplate template) {
		return new LockDirectory(
				() -> CompletableFuture.completedFuture(
						List.of(new InstanceLocks(client, name, client, Instant.now(), template.activity().uses()))),
				stored, template, InstantSource.system());
	}

	@Override
	public Instant now() {
		return this.clock.instant();
	}

	@Override
	public List<LockInfo> locks() {
		List<InstanceLocks> all = StoredHolds.await(this.instances.get());
		List<LockInfo> locks = new ArrayList<>(announced(all, null).values());
		locks.sort(ORDER);
		List<Integer> fair = IntStream.range(0, locks.size())
			.filter((i) -> locks.get(i).type().equals(MyLockType.FAIR_LOCK.name()))
			.limit(MAX_LINES)
			.boxed()
			.toList();
		List<List<String>> lines = this.stored.linesOf(fair.stream().map((i) -> fairKey(locks.get(i).name())).toList());
		for (int i = 0; i < fair.size(); i++) {
			LockInfo lock = locks.get(fair.get(i));
			locks.set(fair.get(i),
					new LockInfo(lock.name(), lock.type(), lock.holders(), waiters(lines.get(i), lock, all)));
		}
		locks.sort(ORDER);
		return locks;
	}

	private String fairKey(String name) {
		return this.template.key(LockSpec.of(name).withType(MyLockType.FAIR_LOCK));
	}

	@Override
	public List<LockInfo> lock(String name) {
		Assert.hasText(name, "'name' must not be blank: give the name of the lock, without the prefix of its key");
		List<InstanceLocks> all = StoredHolds.await(this.instances.get());
		Map<Id, LockInfo> announced = announced(all, name);
		Set<String> providers = new TreeSet<>(this.template.providers());
		announced.keySet().stream().map(Id::type).filter((type) -> !isBuiltIn(type)).forEach(providers::add);
		List<LockInfo> locks = new ArrayList<>();
		hold(locks, announced, all, name, MyLockType.RE_ENTRANT_LOCK);
		hold(locks, announced, all, name, MyLockType.READ_LOCK);
		for (String provider : providers) {
			LockInfo lock = announced.get(new Id(name, provider));
			List<StoredHold> holds = holds(LockSpec.of(name).withProvider(provider));
			if (!holds.isEmpty()) {
				locks.add(new LockInfo(name, provider, holders(holds, lock, all), waiters(lock)));
			}
			else if (lock != null) {
				locks.add(lock);
			}
		}
		return locks;
	}

	/**
	 * The holds of a lock of a provider. One that is known to another instance only is
	 * read as a lock of Redisson.
	 */
	private List<StoredHold> holds(LockSpec spec) {
		CompletionStage<List<StoredHold>> known = this.template.providers().contains(spec.provider())
				? this.template.holds(spec) : null;
		return (known != null) ? StoredHolds.await(known) : this.stored.ofProvider(this.template.key(spec));
	}

	/**
	 * Adds the locks of the types that share a key: plain and fair ones, or read and
	 * write locks.
	 */
	private void hold(List<LockInfo> locks, Map<Id, LockInfo> announced, List<InstanceLocks> all, String name,
			MyLockType first) {
		boolean pair = first == MyLockType.READ_LOCK;
		MyLockType second = pair ? MyLockType.WRITE_LOCK : MyLockType.FAIR_LOCK;
		List<StoredHold> holds = this.stored.of(this.template.key(LockSpec.of(name).withType(first)));
		LockInfo fair = announced.get(new Id(name, second.name()));
		LockInfo plain = announced.get(new Id(name, first.name()));
		if (pair) {
			add(locks, name, first, holds.stream().filter((hold) -> !hold.writing()).toList(), plain, waiters(plain),
					all);
			add(locks, name, second, holds.stream().filter(StoredHold::writing).toList(), fair, waiters(fair), all);
			return;
		}
		List<String> line = this.stored.linesOf(List.of(fairKey(name))).get(0);
		// In Redis, a held fair lock looks like a plain one unless there is a waiter in
		// its line.
		boolean isFair = (fair != null || !line.isEmpty()) && (plain == null || plain.holders().isEmpty());
		add(locks, name, first, isFair ? List.of() : holds, plain, waiters(plain), all);
		add(locks, name, second, isFair ? holds : List.of(), fair, waiters(line, fair, all), all);
	}

	private static List<LockInfo.Waiter> waiters(@Nullable LockInfo announced) {
		return (announced != null) ? announced.waiters() : List.of();
	}

	/**
	 * The waiters for a fair lock: those in its line, with what their instances report.
	 * If there is no line, no waiter has joined it yet, and only the instances know of
	 * it.
	 */
	private static List<LockInfo.Waiter> waiters(List<String> line, @Nullable LockInfo announced,
			List<InstanceLocks> all) {
		if (line.isEmpty()) {
			return waiters(announced);
		}
		List<LockInfo.Waiter> known = new ArrayList<>(waiters(announced));
		return line.stream().map((client) -> waiter(client, known, all)).toList();
	}

	/**
	 * Waiters of one instance are in the line in the order of their requests.
	 */
	private static LockInfo.Waiter waiter(String client, List<LockInfo.Waiter> known, List<InstanceLocks> all) {
		List<InstanceLocks> instances = ofClient(client, all);
		LockInfo.Waiter waiter = take(known, LockInfo.Waiter::instance, instances);
		if (waiter != null) {
			return waiter;
		}
		return instances.isEmpty() ? new LockInfo.Waiter(null, client, null, null, null, null)
				: new LockInfo.Waiter(instances.get(0).instance(), instances.get(0).name(), null, null, null, null);
	}

	/**
	 * Removes the first element that one of the instances reports.
	 */
	private static <T> @Nullable T take(List<T> known, Function<T, @Nullable String> instance,
			List<InstanceLocks> instances) {
		for (T each : known) {
			if (instances.stream().anyMatch((one) -> one.instance().equals(instance.apply(each)))) {
				known.remove(each);
				return each;
			}
		}
		return null;
	}

	/**
	 * The instances that have a Redis client: one, unless applications in one JVM share
	 * it.
	 */
	private static List<InstanceLocks> ofClient(String client, List<InstanceLocks> all) {
		return all.stream().filter((each) -> client.equals(each.client())).toList();
	}

	private static void add(List<LockInfo> locks, String name, MyLockType type, List<StoredHold> holds,
			@Nullable LockInfo announced, List<LockInfo.Waiter> waiters, List<InstanceLocks> all) {
		if (!holds.isEmpty() || !waiters.isEmpty()) {
			locks.add(new LockInfo(name, type.name(), holders(holds, announced, all), waiters));
		}
	}

	/**
	 * The holders of a lock according to Redis, with what their instances report.
	 */
	private static List<LockInfo.Holder> holders(List<StoredHold> holds, @Nullable LockInfo announced,
			List<InstanceLocks> all) {
		List<LockInfo.Holder> known = new ArrayList<>((announced != null) ? announced.holders() : List.of());
		return holds.stream().map((hold) -> holder(hold, known, all)).toList();
	}

	private static LockInfo.Holder holder(StoredHold hold, List<LockInfo.Holder> known, List<InstanceLocks> all) {
		List<InstanceLocks> instances = ofClient(hold.client(), all);
		LockInfo.Holder holder = take(known, LockInfo.Holder::instance, instances);
		if (holder != null) {
			return new LockInfo.Holder(holder.instance(), holder.name(), holder.thread(), holder.queue(),
					holder.since(), holder.reportedAt(), hold.lease());
		}
		return instances.isEmpty() ? new LockInfo.Holder(null, hold.client(), null, null, null, null, hold.lease())
				: new LockInfo.Holder(instances.get(0).instance(), instances.get(0).name(), null, null, null, null,
						hold.lease());
	}

	/**
	 * The locks that instances report.
	 * @param name the only name to look for, or {@code null} for all
	 */
	private static Map<Id, LockInfo> announced(List<InstanceLocks> all, @Nullable String name) {
		Map<Id, List<Report>> reports = new LinkedHashMap<>();
		for (InstanceLocks each : all) {
			each.locks()
				.stream()
				.filter((use) -> name == null || name.equals(use.name()))
				.forEach((use) -> reports.computeIfAbsent(new Id(use.name(), use.type()), (id) -> new ArrayList<>())
					.add(new Report(each, use)));
		}
		Map<Id, LockInfo> locks = new LinkedHashMap<>();
		reports.forEach((id, of) -> locks.put(id,
				new LockInfo(id.name(), id.type(),
						of.stream().filter((report) -> report.use().held()).map(Report::holder).toList(),
						of.stream()
							.filter((report) -> !report.use().held())
							.sorted(Comparator.comparing(Report::since))
							.map(Report::waiter)
							.toList())));
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

	private static boolean isBuiltIn(String type) {
		return Arrays.stream(MyLockType.values()).anyMatch((each) -> each.name().equals(type));
	}

	/**
	 * What identifies a lock.
	 */
	private record Id(String name, String type) {

	}

	/**
	 * A lock that an instance reports.
	 */
	private record Report(InstanceLocks by, LockUse use) {

		LockInfo.Holder holder() {
			return new LockInfo.Holder(this.by.instance(), this.by.name(), this.use.thread(), this.use.queue(), since(),
					this.by.at(), null);
		}

		LockInfo.Waiter waiter() {
			return new LockInfo.Waiter(this.by.instance(), this.by.name(), this.use.thread(), this.use.queue(), since(),
					this.by.at());
		}

		Instant since() {
			return this.by.at().minus(this.use.time());
		}

	}

}
