package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Packs messages in the queues of an instance: those that it listens to, and those for
 * which it has a horizon of its own. Of several instances, the one that has the turn for
 * a queue packs its messages, for as long as that instance lives. If its horizon for the
 * queue is 0, it brings all that is packed there near instead.
 * <p>
 * Safe for use by many threads.
 */
final class FarPacker implements AutoCloseable {

	/**
	 * Every how many intervals it looks for messages to pack; sooner if the last round
	 * was not finished.
	 */
	private static final int PACKING = 6;

	/**
	 * For how many intervals an instance has the turn to pack the messages of a queue.
	 */
	private static final int TURN = 3 * PACKING;

	/**
	 * Which part of an interval a round takes, so that each queue has its turn.
	 */
	private static final int BUDGET = 2;

	/**
	 * How many steps a round makes in one queue. The next one goes on there.
	 */
	private static final int MAX_STEPS = 50;

	/**
	 * How many steps a round makes through the chunks of a queue to find those of which
	 * most is gone.
	 */
	private static final int COMPACTIONS = 8;

	/**
	 * The shortest rest after a step. Each is as long as the step was, so that Redis has
	 * at least half of its time for others.
	 */
	private static final Duration SHORTEST_REST = Duration.ofMillis(1);

	private static final Log logger = PlainLog.of(FarPacker.class);

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final AdminScripts scripts;

	private final FarSettings settings;

	private final Supplier<CompletableFuture<List<String>>> own;

	private final FarTurns turns;

	private final FarMoves moves;

	private final FarMover mover;

	private final Scheduler clock;

	private final QueueRound round;

	private final RegularTask regular;

	/**
	 * The walks through queues that the next round goes on with.
	 */
	private final Map<String, FarPacking> unfinished = new ConcurrentHashMap<>();

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
	 * When the present round has to end.
	 */
	private volatile @Nullable Long ends;

	private volatile boolean isUnfinished;

	/**
	 * Whether a queue has more to pack, so that the next round begins at once.
	 */
	private volatile boolean hasBacklog;

	/**
	 * Whether an instance may run that does not know packed messages.
	 */
	private volatile boolean mustWait;

	private volatile boolean saysThatItWaits = true;

	private volatile boolean closed;

	/**
	 * Creates it. It does nothing before it is started.
	 * @param settings which messages are packed
	 * @param own gives the queues of this instance, as the store knows them
	 * @param turns the turns of this instance, which are for its intervals
	 * @param moves runs what packs
	 * @param mover brings near what is not to be packed
	 */
	FarPacker(AdminScripts scripts, FarSettings settings, Supplier<CompletableFuture<List<String>>> own, FarTurns turns,
			FarMoves moves, FarMover mover) {
		this.scripts = scripts;
		this.settings = settings;
		this.own = own;
		this.turns = turns;
		this.moves = moves;
		this.mover = mover;
		this.clock = turns.clock();
		this.round = new QueueRound(this.clock,
				(failed) -> logger.warn("Messages of the far future were not packed in " + failed));
		this.regular = new RegularTask(this.clock, turns.interval(), this::packInTime,
				(failure) -> this.round.failed("any queue", failure));
	}

	void start() {
		this.regular.start();
	}

	@Override
	public void close() {
		this.closed = true;
		this.regular.close();
	}

	private CompletableFuture<Void> packInTime() {
		boolean looks = ++this.looks % PACKING == 0 || this.isUnfinished;
		return looks ? packOn() : DONE;
	}

	private CompletableFuture<Void> packOn() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		packOn(done);
		return done;
	}

	private void packOn(CompletableFuture<Void> done) {
		AsyncCall.of(this::pack).whenComplete((packed, failure) -> {
			if (failure != null) {
				done.completeExceptionally(failure);
			}
			else if (this.hasBacklog && !this.closed) {
				packOn(done);
			}
			else {
				done.complete(null);
			}
		});
	}

	/**
	 * Packs what is due much later in the queues of this instance, or brings it near.
	 * @return a future that completes when it was done or failed for each
	 */
	private CompletableFuture<Void> pack() {
		this.isUnfinished = false;
		this.hasBacklog = false;
		this.mustWait = false;
		this.ends = this.clock.nanoTime() + this.turns.interval().toNanos() / BUDGET;
		return this.own.get().thenCompose((queues) -> {
			Set<String> own = Set.copyOf(queues);
			this.unfinished.keySet().retainAll(own);
			this.compacted.keySet().retainAll(own);
			this.idle.keySet().retainAll(own);
			return this.round.go(own, this::care);
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
		if (endsInTime()) {
			return DONE;
		}
		FarTurn turn = this.turns.of("far:" + queue, TURN);
		if (packs) {
			return this.mustWait ? DONE : packInTurn(queue, turn);
		}
		return this.scripts.far()
			.hasAny(queue)
			.thenCompose((any) -> !any ? DONE : this.mover.bringAllNear(queue,
					() -> endsInTime() ? CompletableFuture.completedFuture(false) : turn.isOwn(), this::endsInTime));
	}

	private boolean endsInTime() {
		this.isUnfinished |= isTimeOver();
		return isTimeOver();
	}

	private boolean isTimeOver() {
		Long end = this.ends;
		return this.closed || (end != null && this.clock.nanoTime() - end >= 0);
	}

	/**
	 * Packs messages if this instance has the turn. While packings are left out it keeps
	 * the turn if messages are packed, as one with a horizon of 0 would bring them near.
	 * One that does not have it leaves the next two out. A queue in which nothing was
	 * packed costs one request: nobody needs the turn while there is nothing to pack.
	 */
	private CompletableFuture<Void> packInTurn(String queue, FarTurn turn) {
		Idle last = this.idle.getOrDefault(queue, Idle.NOT);
		if (last.left() > 0) {
			this.idle.put(queue, last.waited());
			return last.prolongs() ? turn.isOwn().thenAccept((own) -> {
			}) : DONE;
		}
		if (!last.isNothingPacked()) {
			return takeTurnAndPack(queue, turn, last);
		}
		return this.scripts.far().look(queue, null, this.settings.of(queue)).thenCompose((found) -> {
			if (found.first() != null || found.next() != null || !found.messages().isEmpty()) {
				return takeTurnAndPack(queue, turn, last);
			}
			this.idle.put(queue, last.longest());
			return DONE;
		});
	}

	private CompletableFuture<Void> takeTurnAndPack(String queue, FarTurn turn, Idle last) {
		return turn.isOwn().thenCompose((own) -> {
			if (!own) {
				this.unfinished.remove(queue);
				this.idle.put(queue, last.others());
				return DONE;
			}
			return pack(queue);
		});
	}

	/**
	 * Packs what is due much later in a queue, unless packings are left out.
	 */
	CompletableFuture<Void> pack(String queue) {
		Idle last = this.idle.getOrDefault(queue, Idle.NOT);
		if (this.settings.of(queue).isZero() || last.left() > 0) {
			this.idle.computeIfPresent(queue, (name, each) -> each.waited());
			return DONE;
		}
		CompletableFuture<Void> compacting = last.isNothingPacked() ? DONE
				: AsyncCall.of(() -> compact(queue, COMPACTIONS));
		return compacting.handle((done, failure) -> failure)
			.thenCompose((failure) -> walk(queue, last)
				.thenCompose((done) -> (failure != null) ? CompletableFuture.failedFuture(failure) : DONE));
	}

	private CompletableFuture<Void> compact(String queue, int steps) {
		return this.scripts.far()
			.compact(queue, this.compacted.remove(queue), this::isTimeOver)
			.thenCompose((behind) -> {
				if (behind == null) {
					return DONE;
				}
				this.compacted.put(queue, behind);
				return (steps > 1 && !isTimeOver()) ? compact(queue, steps - 1) : DONE;
			});
	}

	private CompletableFuture<Void> walk(String queue, Idle last) {
		FarPacking before = this.unfinished.remove(queue);
		FarPacking packing = (before != null) ? before
				: new FarPacking(this.scripts, this.moves, queue, this.settings, this::mayPack, this::isTimeOver);
		packing.begin();
		return walk(packing, MAX_STEPS).thenAccept((goesOn) -> {
			if (goesOn) {
				this.hasBacklog = true;
				this.unfinished.put(queue, packing);
			}
			else if (packing.hasPacked()) {
				this.idle.remove(queue);
			}
			else if (!this.mustWait) {
				this.idle.put(queue, last.longer(packing.hasFound()));
			}
		});
	}

	/**
	 * Makes steps, and rests after each. Without a timer it ends, and the next walk
	 * begins.
	 */
	private CompletableFuture<Boolean> walk(FarPacking packing, int steps) {
		long began = this.clock.nanoTime();
		return packing.step()
			.thenCompose((left) -> rest(left, this.clock.nanoTime() - began))
			.thenCompose((goesOn) -> (goesOn && steps > 1 && !isTimeOver()) ? walk(packing, steps - 1)
					: CompletableFuture.completedFuture(goesOn));
	}

	private CompletableFuture<Boolean> rest(boolean left, long nanos) {
		CompletableFuture<Boolean> rest = new CompletableFuture<>();
		long shortened = Math.min(nanos, this.turns.interval().toNanos());
		if (this.clock.schedule(() -> rest.complete(left), Math.max(SHORTEST_REST.toNanos(), shortened)) == null) {
			rest.complete(false);
		}
		return rest;
	}

	/**
	 * How many packings of a queue in a row have found nothing to pack, and how many are
	 * left out now: one more each time, or at once the most of a queue that has nothing
	 * to pack. So what cannot be packed is not looked at each time.
	 *
	 * @param times how many were in vain
	 * @param left how many are left out still
	 * @param keepsTurn whether this instance had the turn, and messages were packed there
	 */
	private record Idle(int times, int left, boolean keepsTurn) {

		private static final Idle NOT = new Idle(0, 0, false);

		private static final int MOST = 9;

		Idle longer(boolean anyPacked) {
			return new Idle(this.times + 1, Math.min(this.times, MOST), anyPacked);
		}

		/**
		 * Nothing is packed, and nothing may be.
		 */
		Idle longest() {
			return new Idle(this.times + 1, MOST, false);
		}

		/**
		 * Another instance has the turn.
		 */
		Idle others() {
			return new Idle(this.times, 2, false);
		}

		boolean isNothingPacked() {
			return this.times > 0 && !this.keepsTurn;
		}

		/**
		 * Whether an instance that has the turn prolongs it now: each second time, in two
		 * of the three minutes.
		 */
		boolean prolongs() {
			return this.keepsTurn && this.left % 2 == 0;
		}

		Idle waited() {
			return new Idle(this.times, Math.max(0, this.left - 1), this.keepsTurn);
		}

	}

}
