package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.ColdChunks;
import io.redelay.queue.script.admin.ColdScript;
import io.redelay.queue.script.admin.ColdTier;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.queue.script.admin.QueueNames;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Moves the bytes of chunks of packed messages that are due much later into a database,
 * and back ahead of their time: half the horizon before. An instance does so for the
 * queues whose messages it packs, as the database is that of their application. One
 * instance at a time does so for a queue; two that do so at once only work in vain. Does
 * nothing before it is started.
 * <p>
 * The bytes leave Redis after the database has committed them, and the database only when
 * Redis has not needed them for a day. So neither a crash nor a Redis that goes back in
 * time by less loses any.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ColdSweeper implements AutoCloseable {

	/**
	 * For how many intervals an instance has a turn.
	 */
	private static final int TURN = 3;

	/**
	 * How many chunks come back at once.
	 */
	private static final int CHUNKS = 32;

	/**
	 * How many pages a tidying looks at. The next one goes on there.
	 */
	private static final int MAX_PAGES = 800;

	private static final Log logger = PlainLog.of(ColdSweeper.class);

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private static final Turn ALWAYS = () -> CompletableFuture.completedFuture(true);

	private final ColdScript cold;

	private final ColdTier tier;

	private final QueueNames names;

	private final FarSettings far;

	private final Predicate<String> listens;

	private final Duration horizon;

	private final String instance;

	private final FarTurns turns;

	private final Scheduler scheduler;

	private final Times times;

	private final QueueRound loading;

	private final QueueRound saving;

	private final QueueRound others;

	private final RegularTask regular;

	/**
	 * How often this instance has named a Redis.
	 */
	private final AtomicInteger named = new AtomicInteger();

	/**
	 * When it was tidied, and where the next tidying goes on.
	 */
	private volatile @Nullable Long tidiedNanos;

	private volatile long place;

	/**
	 * Creates a sweeper.
	 * @param scripts the store, and its database
	 * @param far the messages that this instance packs
	 * @param listens whether this instance listens to a queue
	 * @param horizon how far away the due time of packed messages must be for their bytes
	 * to move; 0 moves none
	 * @param instance the name of this instance in the store
	 * @param scheduler when to look
	 * @param times how often
	 */
	public ColdSweeper(AdminScripts scripts, FarSettings far, Predicate<String> listens, Duration horizon,
			String instance, Scheduler scheduler, Times times) {
		this.cold = new ColdScript(scripts.runner());
		this.tier = scripts.coldTier();
		this.names = scripts.names();
		this.far = far;
		this.listens = listens;
		this.horizon = horizon;
		this.instance = instance;
		this.turns = new FarTurns(this.names, scheduler, instance, times.interval());
		this.scheduler = scheduler;
		this.times = times;
		this.loading = new QueueRound(scheduler,
				(failed) -> logger.warn("Packed messages were not loaded from the database in " + failed));
		this.saving = new QueueRound(scheduler,
				(failed) -> logger.warn("Packed messages were not moved into the database in " + failed));
		this.others = new QueueRound(scheduler,
				(failed) -> logger.warn("Packed messages in the database were not looked after in " + failed));
		this.regular = new RegularTask(scheduler, times.interval(), this::sweep,
				(failure) -> this.others.failed("any queue", failure));
	}

	/**
	 * Begins to look, unless it does already or moves none.
	 */
	public void start() {
		if (!this.horizon.isZero()) {
			this.regular.start();
		}
	}

	@Override
	public void close() {
		this.regular.close();
	}

	/**
	 * What comes back goes first, then what leaves has one interval. Of several instances
	 * those tidy that have a turn: their databases may be different ones.
	 */
	CompletableFuture<Void> sweep() {
		return this.names.far().thenCompose((queues) -> {
			Map<String, FarTurn> turns = queues.stream()
				.filter((queue) -> this.far.isOwn(queue, this.listens))
				.collect(Collectors.toMap(Function.identity(), (queue) -> this.turns.of("cold:" + queue, TURN)));
			return this.loading.go(turns.keySet(), (queue) -> load(queue, turn(turns, queue))).thenCompose((loaded) -> {
				long until = this.scheduler.nanoTime() + this.times.interval().toNanos();
				return this.saving.go(turns.keySet(), (queue) -> save(queue, turn(turns, queue), until));
			}).thenCompose((moved) -> isUntidy() ? tidy(turns.values()) : DONE);
		});
	}

	private static Turn turn(Map<String, FarTurn> turns, String queue) {
		return Objects.requireNonNull(turns.get(queue))::isOwn;
	}

	private boolean isUntidy() {
		Long before = this.tidiedNanos;
		return before == null || this.scheduler.nanoTime() - before >= this.times.tidying().toNanos();
	}

	private CompletableFuture<Void> tidy(Collection<FarTurn> turns) {
		FarTurn one = turns.stream().filter(FarTurn::wasOwn).findAny().orElseGet(() -> this.turns.of("cold", TURN));
		return one.isOwn().thenCompose((own) -> own ? tidy() : DONE);
	}

	/**
	 * Loads what is due within half of the horizon.
	 */
	CompletableFuture<Void> load(String queue) {
		return load(queue, ALWAYS);
	}

	private CompletableFuture<Void> load(String queue, Turn turn) {
		return load(queue, turn, null);
	}

	private CompletableFuture<Void> load(String queue, Turn turn, ColdScript.@Nullable Place place) {
		return turn.ifOwn(() -> this.cold.look(queue, ColdScript.Direction.IN, this.horizon.dividedBy(2), place)
			.thenCompose((found) -> load(queue, turn, found.chunks(), 0)
				.thenCompose((done) -> (found.next() != null) ? load(queue, turn, found.next()) : DONE)));
	}

	private CompletableFuture<Void> load(String queue, Turn turn, List<FarScript.Chunk> chunks, int from) {
		if (from >= chunks.size()) {
			return DONE;
		}
		int next = Math.min(chunks.size(), from + CHUNKS);
		return turn.ifOwn(() -> this.tier.load(queue, chunks.subList(from, next))
			.thenCompose((found) -> this.cold.warm(queue, found))
			.thenCompose((loaded) -> load(queue, turn, chunks, next)));
	}

	/**
	 * Saves what is due after the horizon, unless this instance packs no messages of the
	 * queue.
	 */
	CompletableFuture<Void> save(String queue) {
		return save(queue, ALWAYS, Long.MAX_VALUE);
	}

	private CompletableFuture<Void> save(String queue, Turn turn, long until) {
		return this.far.of(queue).isZero() ? DONE : save(queue, turn, until, null);
	}

	private CompletableFuture<Void> save(String queue, Turn turn, long until, ColdScript.@Nullable Place place) {
		if (until != Long.MAX_VALUE && this.scheduler.nanoTime() - until >= 0) {
			return DONE;
		}
		return turn.ifOwn(() -> this.cold.look(queue, ColdScript.Direction.OUT, this.horizon, place)
			.thenCompose((found) -> (found.chunks().isEmpty() ? CompletableFuture.<Integer>completedFuture(0)
					: save(queue, found.chunks()))
				.thenCompose((saved) -> (found.next() != null) ? save(queue, turn, until, found.next()) : DONE)));
	}

	private CompletableFuture<Integer> save(String queue, List<FarScript.Chunk> chunks) {
		return owner().thenCompose((owner) -> {
			List<ColdChunks.Saved> saved = chunks.stream().map((each) -> saved(owner, queue, each)).toList();
			return this.tier
				.ask("Moving packed messages of the queue '" + queue + "' into the database",
						(database) -> database.save(saved))
				.thenCompose((done) -> this.cold.chill(queue, saved));
		});
	}

	private static ColdChunks.Saved saved(String owner, String queue, FarScript.Chunk chunk) {
		return new ColdChunks.Saved(owner, ColdTier.key(queue, chunk), chunk.dueMillis(), chunk.latestMillis(),
				chunk.left(), chunk.packed());
	}

	/**
	 * The name of this Redis, asked for each time, as Redis may go back to where it had
	 * none. No two have the same name, not even if one instance names both as it is
	 * connected to one after the other: each would delete what the other one needs.
	 * Several instances may name it at the same time.
	 */
	private CompletableFuture<String> owner() {
		return this.names.coldOwners().thenCompose((known) -> {
			if (!known.isEmpty()) {
				return CompletableFuture.completedFuture(Collections.min(known));
			}
			String name = this.instance + "-" + this.named.incrementAndGet();
			return this.names.addColdOwner(name)
				.thenCompose((done) -> this.names.coldOwners())
				.thenApply((all) -> all.isEmpty() ? name : Collections.min(all));
		});
	}

	/**
	 * Deletes from the database what this Redis has not needed for some time.
	 * @return a future that completes when that is done, or some of it
	 */
	CompletableFuture<Void> tidy() {
		return this.names.coldOwners().thenCompose((owners) -> {
			this.tidiedNanos = this.scheduler.nanoTime();
			return owners.isEmpty() ? CompletableFuture.completedFuture(null) : tidy(owners, this.place, MAX_PAGES);
		});
	}

	private CompletableFuture<Void> tidy(Set<String> owners, long after, int pages) {
		this.place = after;
		if (pages == 0) {
			return CompletableFuture.completedFuture(null);
		}
		return this.tier
			.ask("Looking through the database of cold messages",
					(database) -> database.list(owners, after, ColdScript.MAX_NAMED))
			.thenCompose((page) -> note(page).thenCompose((noted) -> {
				boolean ended = page.size() < ColdScript.MAX_NAMED;
				if (ended) {
					this.place = 0;
				}
				return ended ? CompletableFuture.completedFuture(null)
						: tidy(owners, page.get(page.size() - 1).row(), pages - 1);
			}));
	}

	private CompletableFuture<Void> note(List<ColdChunks.Kept> page) {
		List<ColdChunks.Kept> needed = new ArrayList<>();
		List<ColdChunks.Kept> unneeded = new ArrayList<>();
		Map<String, List<ColdChunks.Kept>> byQueue = page.stream()
			.collect(Collectors.groupingBy((each) -> each.key().queue()));
		return QueueRound.each(byQueue.entrySet(),
				(each) -> this.cold
					.named(each.getKey(), each.getValue().stream().map((kept) -> kept.key().chunk()).toList())
					.thenAccept((named) -> {
						for (int i = 0; i < named.size(); i++) {
							ColdChunks.Kept kept = each.getValue().get(i);
							(named.get(i).equals(kept.key().sha1()) ? needed : unneeded).add(kept);
						}
					}))
			.thenCompose((asked) -> {
				List<ColdChunks.Kept> staying = needed.stream().filter(ColdChunks.Kept::leaving).toList();
				Function<ColdChunks, CompletableFuture<Integer>> noting = (database) -> database.note(staying, unneeded,
						this.times.grace());
				return (staying.isEmpty() && unneeded.isEmpty()) ? CompletableFuture.completedFuture(null)
						: this.tier.ask("Deleting from the database of cold messages", noting)
							.thenApply((deleted) -> null);
			});
	}

	/**
	 * Asked whether to go on, before each request that moves something.
	 */
	private interface Turn {

		CompletableFuture<Boolean> isOwn();

		default CompletableFuture<Void> ifOwn(Supplier<CompletableFuture<Void>> action) {
			return isOwn().thenCompose((own) -> own ? action.get() : DONE);
		}

	}

	/**
	 * How often a sweeper works.
	 *
	 * @param interval how often it looks for what is to move
	 * @param tidying how often it looks for rows that are not needed
	 * @param grace how long a row is not needed before it is deleted: by how much Redis
	 * may go back in time and still find what it needs
	 */
	public record Times(Duration interval, Duration tidying, Duration grace) {

		/**
		 * Half a minute, an hour and a day.
		 */
		public static final Times DEFAULTS = new Times(Duration.ofSeconds(30), Duration.ofHours(1), Duration.ofDays(1));

	}

}
