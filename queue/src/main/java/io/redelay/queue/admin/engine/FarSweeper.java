package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.redelay.log.PlainLog;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.queue.script.admin.QueueNames;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Packs messages of a server that are due after the horizon of their queue, and brings
 * packed ones near ahead of their time: half the horizon before. Does nothing before it
 * is started.
 * <p>
 * An instance packs the queues that it listens to, and those for which it has a horizon
 * of its own. Of several, the one that has the turn for a queue does, for as long as it
 * lives. If its horizon for that queue is 0, it brings all that is packed there near
 * instead. So instances with different horizons do not move the same messages back and
 * forth.
 * <p>
 * Any instance brings near what is packed in any queue, one at a time; two that do so at
 * once only work in vain. Besides, each looks at a queue from which it claims.
 * <p>
 * A chunk has messages whose due times are close to each other, compared with how far
 * away they are. So when its first message comes near, most of the others are not packed
 * many times again before their own time. Where few messages are due at about the same
 * time they stay near.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class FarSweeper implements AutoCloseable {

	/**
	 * How often an instance looks for packed messages that are to come near.
	 */
	public static final Duration INTERVAL = Duration.ofSeconds(10);

	/**
	 * Every how many intervals it looks for messages to pack, unless it was not done with
	 * that the last time.
	 */
	private static final int PACKING = 6;

	/**
	 * Every how many intervals one instance looks at all queues for packed messages: the
	 * list of the queues that have some may have gone back in time.
	 */
	private static final int SEARCH = 60;

	private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

	/**
	 * For how many intervals an instance has the turn to bring messages near, and that to
	 * pack the messages of a queue.
	 */
	private static final int TURN = 3;

	private static final int PACKING_TURN = 3 * PACKING;

	/**
	 * Which part of an interval a packing takes at most.
	 */
	private static final int BUDGET = 2;

	/**
	 * In how many queues messages are brought near at once.
	 */
	private static final int AT_ONCE = 4;

	private static final int MAX_BYTES = 256 * 1024;

	/**
	 * How far the due times of a chunk are from each other at most: a part of how far
	 * away the first one is, or this.
	 */
	private static final Duration SPAN = Duration.ofMinutes(10);

	private static final int PART = 4;

	/**
	 * How many steps a packing makes in one queue. The next one goes on there.
	 */
	private static final int MAX_STEPS = 200;

	private static final Log logger = PlainLog.of(FarSweeper.class);

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final AdminScripts scripts;

	private final QueueNames names;

	private final FarSettings settings;

	private final Predicate<String> listens;

	private final String owner;

	private final Scheduler scheduler;

	private final Duration interval;

	private final FarMover mover;

	private final List<QueueRound> moving;

	private final QueueRound packing;

	private final QueueRound searching;

	private final RegularTask first;

	private final List<RegularTask> regular;

	/**
	 * Where the next packing goes on, of queues that were not gone through.
	 */
	private final Map<String, FarScript.Place> places = new ConcurrentHashMap<>();

	/**
	 * Where the next packing goes on to look for chunks of which most is gone.
	 */
	private final Map<String, FarScript.Chunk> compacted = new ConcurrentHashMap<>();

	/**
	 * Queues in which the last packings found nothing to pack.
	 */
	private final Map<String, Idle> idle = new ConcurrentHashMap<>();

	private int looks;

	/**
	 * Until when the packing of all queues may go on that is under way.
	 */
	private volatile @Nullable Long packingEnds;

	private volatile boolean isUnfinished;

	/**
	 * Whether an instance may run that does not know packed messages.
	 */
	private volatile boolean mustWait;

	private volatile boolean saysThatItWaits = true;

	private volatile boolean closed;

	FarSweeper(AdminScripts scripts, FarSettings settings, String owner, Scheduler scheduler, Duration interval) {
		this(scripts, settings, (queue) -> false, owner, scheduler, interval);
	}

	/**
	 * Creates a sweeper.
	 * @param scripts the store
	 * @param settings which messages are packed
	 * @param listens whether this instance listens to a queue
	 * @param owner the name of this instance in the store
	 * @param scheduler when to look, and threads to unpack on
	 * @param interval how often, usually {@link #INTERVAL}: 10 seconds
	 */
	public FarSweeper(AdminScripts scripts, FarSettings settings, Predicate<String> listens, String owner,
			Scheduler scheduler, Duration interval) {
		this.scripts = scripts;
		this.names = scripts.names();
		this.settings = settings;
		this.listens = listens;
		this.owner = owner;
		this.scheduler = scheduler;
		this.interval = interval;
		this.mover = new FarMover(scripts, scheduler, interval);
		this.moving = Stream
			.generate(() -> new QueueRound(scheduler,
					(failed) -> logger.warn("Packed messages were not brought near in " + failed)))
			.limit(AT_ONCE)
			.toList();
		this.packing = new QueueRound(scheduler,
				(failed) -> logger.warn("Messages of the far future were not packed in " + failed));
		this.searching = new QueueRound(scheduler,
				(failed) -> logger.warn("Packed messages were not looked for in " + failed));
		this.first = new RegularTask(scheduler, FIRST_LOOK, this::firstSweep,
				(failure) -> this.moving.get(0).failed("any queue", failure));
		this.regular = List.of(
				new RegularTask(scheduler, interval, this::bringNear,
						(failure) -> this.moving.get(0).failed("any queue", failure)),
				new RegularTask(scheduler, interval, this::packInTime,
						(failure) -> this.packing.failed("any queue", failure)),
				new RegularTask(scheduler, interval.multipliedBy(SEARCH), this::search,
						(failure) -> this.searching.failed("any queue", failure)));
	}

	/**
	 * Begins to look, unless it does already.
	 */
	public void start() {
		this.regular.forEach(RegularTask::start);
		// Messages may have become due while no instance ran.
		this.first.start();
	}

	private CompletableFuture<Void> firstSweep() {
		this.first.close();
		return bringNear();
	}

	@Override
	public void close() {
		this.closed = true;
		this.first.close();
		this.regular.forEach(RegularTask::close);
	}

	/**
	 * Called for each claim that finds out that messages of its queue are packed: if they
	 * are due soon, they come near now. So they are not late if no instance ran at their
	 * time, if the clock of Redis was set, or if the list of such queues has gone back in
	 * time.
	 * @param queue the queue, as the store knows it
	 * @param time the clock of the server
	 */
	public void claimed(String queue, Instant time) {
		if (!this.closed) {
			this.mover.claimed(queue, time, () -> turnNear(queue));
		}
	}

	/**
	 * Brings near what is due soon in all queues.
	 * @return a future that completes when it was done or failed for each
	 */
	CompletableFuture<Void> bringNear() {
		return this.names.far().thenCompose((queues) -> queues.isEmpty() ? DONE : bringNear(queues));
	}

	private CompletableFuture<Void> bringNear(Set<String> queues) {
		FarTurn turn = turn("near", TURN);
		return turn.isOwn().thenCompose((own) -> {
			if (!own) {
				return DONE;
			}
			List<CompletableFuture<Void>> rounds = new ArrayList<>();
			for (int i = 0; i < AT_ONCE; i++) {
				int part = i;
				// The turn is for all of them; what prolongs it may do so twice.
				rounds.add(this.moving.get(part)
					.go(queues.stream().filter((queue) -> Math.floorMod(queue.hashCode(), AT_ONCE) == part).toList(),
							(queue) -> turn.isOwn()
								.thenCompose((still) -> still ? this.mover.bringNear(queue, turnNear(queue)::isOwn)
										: DONE)));
			}
			return CompletableFuture.allOf(rounds.toArray(CompletableFuture[]::new));
		});
	}

	private FarTurn turn(String what, int intervals) {
		return new FarTurn(this.names, this.scheduler, what, this.owner, this.interval.multipliedBy(intervals));
	}

	/**
	 * So that those that claim from a queue do not all bring the same messages near.
	 */
	private FarTurn turnNear(String queue) {
		return turn("near:" + queue, 1);
	}

	CompletableFuture<Void> bringNear(String queue) {
		return this.mover.bringNear(queue, () -> CompletableFuture.completedFuture(true));
	}

	CompletableFuture<Void> bringAllNear(String queue) {
		return this.mover.bringAllNear(queue, () -> CompletableFuture.completedFuture(true), () -> false);
	}

	/**
	 * Looks for packed messages in all queues, and registers those that have some.
	 */
	CompletableFuture<Void> search() {
		return turn("search-far", SEARCH - 1).isOwn()
			.thenCompose((own) -> !own ? DONE
					: this.names.queues()
						.thenCompose((queues) -> this.searching.go(queues,
								(queue) -> ifPacked(queue, () -> this.names.registerFar(queue)))));
	}

	private CompletableFuture<Void> ifPacked(String queue, Supplier<CompletableFuture<Void>> action) {
		return this.scripts.far()
			.chunks(queue, false, 1, null, null)
			.thenCompose((found) -> found.chunks().isEmpty() ? DONE : action.get());
	}

	private CompletableFuture<Void> packInTime() {
		boolean looks = ++this.looks % PACKING == 0 || this.isUnfinished;
		return looks ? pack() : DONE;
	}

	/**
	 * Packs what is due much later in the queues of this instance, or brings it near.
	 * @return a future that completes when it was done or failed for each
	 */
	CompletableFuture<Void> pack() {
		this.isUnfinished = false;
		this.mustWait = false;
		this.packingEnds = this.scheduler.nanoTime() + this.interval.toNanos() / BUDGET;
		return this.names.queues().thenCompose((queues) -> {
			List<String> own = queues.stream().filter((queue) -> this.settings.isOwn(queue, this.listens)).toList();
			this.places.keySet().retainAll(own);
			this.compacted.keySet().retainAll(own);
			this.idle.keySet().retainAll(own);
			return this.packing.go(own, this::care);
		});
	}

	/**
	 * Has instances refused that do not know packed messages, before some are packed.
	 */
	private CompletableFuture<Boolean> mayPack() {
		return this.scripts.runner().refuseOthers().thenApply((may) -> {
			this.mustWait = !may;
			if (!may && this.saysThatItWaits) {
				logger
					.info("No messages are packed until no instance of an earlier version has been seen for an hour, as"
							+ " those do not know packed messages; see 'redelay.queue.far-horizon'");
			}
			this.saysThatItWaits = may;
			return may;
		});
	}

	private CompletableFuture<Void> care(String queue) {
		boolean packs = !this.settings.of(queue).isZero();
		if (isTimeOver()) {
			this.isUnfinished = true;
			return DONE;
		}
		FarTurn turn = turn("far:" + queue, PACKING_TURN);
		if (packs) {
			return this.mustWait ? DONE : packInTurn(queue, turn);
		}
		return ifPacked(queue, () -> this.mover.bringAllNear(queue,
				() -> endsInTime() ? CompletableFuture.completedFuture(false) : turn.isOwn(), this::endsInTime));
	}

	private boolean endsInTime() {
		this.isUnfinished |= isTimeOver();
		return isTimeOver();
	}

	/**
	 * Packs messages if this instance has the turn. While packings are left out it keeps
	 * the turn, as one with a horizon of 0 would bring near what it packed. One that does
	 * not have it leaves the next two out.
	 */
	private CompletableFuture<Void> packInTurn(String queue, FarTurn turn) {
		Idle last = this.idle.getOrDefault(queue, Idle.NOT);
		if (last.left() > 0) {
			this.idle.put(queue, last.waited());
			return last.prolongs() ? turn.isOwn().thenAccept((own) -> {
			}) : DONE;
		}
		return turn.isOwn().thenCompose((own) -> {
			if (!own) {
				this.idle.put(queue, Idle.OTHERS);
				return DONE;
			}
			return pack(queue);
		});
	}

	private boolean isTimeOver() {
		Long end = this.packingEnds;
		return end != null && this.scheduler.nanoTime() - end >= 0;
	}

	CompletableFuture<Void> pack(String queue) {
		Duration beyond = this.settings.of(queue);
		Idle last = this.idle.getOrDefault(queue, Idle.NOT);
		if (beyond.isZero() || last.left() > 0) {
			this.idle.computeIfPresent(queue, (name, each) -> each.waited());
			return CompletableFuture.completedFuture(null);
		}
		return this.scripts.far().compact(queue, this.compacted.remove(queue)).thenCompose((chunk) -> {
			if (chunk != null) {
				this.compacted.put(queue, chunk);
			}
			return new Packing(queue, beyond, this.settings.lead(queue)).step(this.places.get(queue), MAX_STEPS);
		});
	}

	/**
	 * How many packings of a queue in a row have found nothing to pack, and how many are
	 * left out now: one more each time. So what cannot be packed is not looked at each
	 * time.
	 *
	 * @param times how many were in vain
	 * @param left how many are left out still
	 */
	private record Idle(int times, int left) {

		private static final Idle NOT = new Idle(0, 0);

		/**
		 * Another instance has the turn.
		 */
		private static final Idle OTHERS = new Idle(0, 2);

		private static final int MOST = 9;

		Idle longer() {
			return new Idle(this.times + 1, Math.min(this.times, MOST));
		}

		/**
		 * Whether an instance that has the turn prolongs it now: each second time, in two
		 * of the three minutes.
		 */
		boolean prolongs() {
			return this.times > 0 && this.left % 2 == 0;
		}

		Idle waited() {
			return new Idle(this.times, Math.max(0, this.left - 1));
		}

	}

	/**
	 * The packing of the messages of one queue.
	 */
	private final class Packing {

		private final String queue;

		private final Duration beyond;

		private final Duration lead;

		/**
		 * Messages that were found and not packed yet.
		 */
		private final List<PackedMessages.Entry> waiting = new ArrayList<>();

		private boolean registered;

		private boolean mayPack;

		/**
		 * The due time of the last message that was looked at, and how many messages with
		 * that time were packed since: so many fewer are to be passed over.
		 */
		private String lastDue = "";

		private int packedThere;

		private boolean beganAnew;

		private boolean packedAny;

		Packing(String queue, Duration beyond, Duration lead) {
			this.queue = queue;
			this.beyond = beyond;
			this.lead = lead;
		}

		CompletableFuture<Void> step(FarScript.@Nullable Place place, int steps) {
			this.beganAnew |= place == null;
			return FarSweeper.this.scripts.far().look(this.queue, place, this.beyond).thenCompose((found) -> {
				this.waiting.addAll(found.messages());
				FarScript.Place next = found.next();
				this.lastDue = (next != null) ? next.due() : "";
				this.packedThere = 0;
				CompletableFuture<Void> known = (found.first() != null) ? register()
						: CompletableFuture.completedFuture(null);
				return known.thenCompose((done) -> packAll(found.time(), next == null || steps <= 1))
					.thenCompose((packed) -> {
						if (next == null || FarSweeper.this.mustWait) {
							FarSweeper.this.places.remove(this.queue);
							noteWhetherIdle();
							return CompletableFuture.completedFuture(null);
						}
						FarScript.Place left = new FarScript.Place(next.due(),
								Math.max(0, next.passed() - this.packedThere));
						if (steps > 1 && !isTimeOver()) {
							return step(left, steps - 1);
						}
						FarSweeper.this.isUnfinished = true;
						FarSweeper.this.places.put(this.queue, left);
						return CompletableFuture.completedFuture(null);
					});
			});
		}

		private void noteWhetherIdle() {
			if (this.packedAny) {
				FarSweeper.this.idle.remove(this.queue);
			}
			else if (this.beganAnew && !FarSweeper.this.mustWait) {
				FarSweeper.this.idle.merge(this.queue, Idle.NOT.longer(), (last, first) -> last.longer());
			}
		}

		/**
		 * Packs the messages that wait.
		 * @param all whether to pack the last ones, too, to which none will come
		 */
		private CompletableFuture<Void> packAll(Instant now, boolean all) {
			while (!this.waiting.isEmpty()) {
				int size = nextChunk(now);
				if (size == this.waiting.size() && !all && size < PackedMessages.MAX_MESSAGES) {
					break;
				}
				List<PackedMessages.Entry> chunk = List.copyOf(this.waiting.subList(0, size));
				this.waiting.subList(0, size).clear();
				long bytes = chunk.stream().mapToLong((each) -> each.envelope().length).sum();
				if (size >= FarSweeper.this.settings.fewest() || bytes >= MAX_BYTES) {
					return pack(chunk).thenCompose((packed) -> packAll(now, all));
				}
			}
			return CompletableFuture.completedFuture(null);
		}

		/**
		 * How many of the messages that wait go together.
		 */
		private int nextChunk(Instant now) {
			int size = 0;
			long bytes = 0;
			while (size < Math.min(this.waiting.size(), PackedMessages.MAX_MESSAGES) && bytes < MAX_BYTES) {
				PackedMessages.Entry next = this.waiting.get(size);
				long first = this.waiting.get(0).dueMillis();
				long span = Math.max(SPAN.toMillis(), (first - now.toEpochMilli()) / PART);
				if (next.dueMillis() > first + span) {
					break;
				}
				bytes += next.envelope().length;
				size++;
			}
			return size;
		}

		/**
		 * If a message has changed meanwhile, the next packing takes the others.
		 */
		private CompletableFuture<Boolean> pack(List<PackedMessages.Entry> chunk) {
			return (this.mayPack ? CompletableFuture.completedFuture(true) : mayPack()).thenCompose((may) -> {
				this.mayPack = may;
				if (!may) {
					this.waiting.clear();
					return CompletableFuture.completedFuture(false);
				}
				return register()
					.thenCompose((done) -> FarSweeper.this.scripts.far().pack(this.queue, chunk, this.lead));
			}).thenApply((packed) -> {
				this.packedAny |= packed;
				this.packedThere += packed ? (int) chunk.stream()
					.filter((each) -> Long.toString(each.dueMillis()).equals(this.lastDue))
					.count() : 0;
				return packed;
			});
		}

		/**
		 * Registers the queue once in a packing: the list of names may have gone back in
		 * time.
		 */
		private CompletableFuture<Void> register() {
			return this.registered ? CompletableFuture.completedFuture(null)
					: FarSweeper.this.names.registerFar(this.queue).thenAccept((done) -> this.registered = true);
		}

	}

}
