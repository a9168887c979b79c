package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.scheduling.AsyncCall;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Brings packed messages near. While some chunks are put back, the next ones are read. A
 * chunk that does not come near is passed over.
 * <p>
 * Safe for use by many threads.
 */
final class FarMover {

	/**
	 * How many chunks are read at once.
	 */
	static final int CHUNKS = 8;

	/**
	 * After how long a queue is looked at again at the latest that has packed messages:
	 * what another instance has packed since is due later than this, as no horizon is
	 * shorter than twice this time.
	 */
	private static final Duration LOOK_AGAIN = FarSettings.SHORTEST.dividedBy(2);

	private static final Log logger = PlainLog.of(FarMover.class);

	private final AdminScripts scripts;

	private final FarMoves moves;

	private final Duration pause;

	/**
	 * By queue, the last look because of a claim.
	 */
	private final Map<String, Look> looks = new ConcurrentHashMap<>();

	/**
	 * Creates it.
	 * @param moves runs what brings messages near
	 * @param pause how long to wait until a queue is looked at again whose messages are
	 * due and could not be brought near
	 */
	FarMover(AdminScripts scripts, FarMoves moves, Duration pause) {
		this.scripts = scripts;
		this.moves = moves;
		this.pause = pause;
	}

	/**
	 * Brings near what is to be near by now.
	 * @param turn asked whether to go on, before chunks are put back
	 * @return completes at the end, with a failure if there was one
	 */
	CompletableFuture<Void> bringNear(String queue, Supplier<CompletableFuture<Boolean>> turn) {
		return new Move(queue, false, turn, () -> false).step(null, CompletableFuture.completedFuture(true));
	}

	/**
	 * Brings all packed messages of a queue near.
	 * @param turn asked whether to go on, before chunks are put back
	 * @param isOver asked whether to end, before chunks are passed over
	 * @return completes at the end, with a failure if there was one
	 */
	CompletableFuture<Void> bringAllNear(String queue, Supplier<CompletableFuture<Boolean>> turn,
			BooleanSupplier isOver) {
		return new Move(queue, true, turn, isOver).step(null, CompletableFuture.completedFuture(true));
	}

	/**
	 * Called for each claim that finds packed messages in its queue. Looks whether they
	 * are due soon and nothing has brought them near, as often as that can be so.
	 * @param time the clock of the server
	 * @param turn the turn for the messages of the queue
	 */
	void claimed(String queue, Instant time, Supplier<FarTurn> turn) {
		Look before = this.looks.get(queue);
		if (before != null && before.covers(time)) {
			return;
		}
		Look look = new Look(time, Instant.MAX);
		boolean begins = (before != null) ? this.looks.replace(queue, before, look)
				: this.looks.putIfAbsent(queue, look) == null;
		if (begins) {
			AsyncCall.of(() -> look(queue, turn)).whenComplete((next, failure) -> {
				if (failure != null) {
					logger.debug("Packed messages of the queue '" + queue + "' are looked for again", failure);
				}
				this.looks.put(queue, (next != null) ? next : new Look(time, time.plus(this.pause)));
			});
		}
	}

	private CompletableFuture<Look> look(String queue, Supplier<FarTurn> turn) {
		return this.scripts.far().chunks(queue, false, 1, null, null).thenCompose((found) -> {
			Instant time = found.time();
			Duration lead = found.lead();
			Instant next = time.plus((lead.compareTo(LOOK_AGAIN) < 0) ? lead : LOOK_AGAIN);
			if (found.chunks().isEmpty()) {
				return CompletableFuture.completedFuture(new Look(time, next));
			}
			// By half of the lead another instance should have brought it near.
			Instant late = Instant.ofEpochMilli(found.chunks().get(0).dueMillis()).minus(lead.dividedBy(2));
			if (time.isBefore(late)) {
				return CompletableFuture.completedFuture(new Look(time, late.isBefore(next) ? late : next));
			}
			return bringNear(queue, turn.get()::isOwn).handle((done, failure) -> new Look(time, time.plus(this.pause)));
		});
	}

	/**
	 * A look at a queue, by the clock of the server.
	 *
	 * @param time when it was
	 * @param next from when on to look again
	 */
	private record Look(Instant time, Instant next) {

		/**
		 * Not if the clock of the server went back since.
		 */
		boolean covers(Instant now) {
			return now.isBefore(this.next) && (!now.isBefore(this.time) || this.next.equals(Instant.MAX));
		}

	}

	/**
	 * One move of messages of a queue.
	 */
	private final class Move {

		private final String queue;

		private final boolean all;

		private final Supplier<CompletableFuture<Boolean>> turn;

		private final BooleanSupplier isOver;

		/**
		 * The chunks that were put back, or could not be: one may be read again while
		 * that is under way.
		 */
		private final Set<String> taken = new HashSet<>();

		private volatile @Nullable Throwable failure;

		Move(String queue, boolean all, Supplier<CompletableFuture<Boolean>> turn, BooleanSupplier isOver) {
			this.queue = queue;
			this.all = all;
			this.turn = turn;
			this.isOver = isOver;
		}

		/**
		 * Reads the next chunks while those before are put back, and begins to put these
		 * back.
		 * @param before completes when those before are back, with whether to go on
		 */
		CompletableFuture<Void> step(FarScript.@Nullable Chunk after, CompletableFuture<Boolean> before) {
			FarScript far = FarMover.this.scripts.far();
			return (this.all ? far.chunks(this.queue, true, CHUNKS, null, after) : far.near(this.queue, CHUNKS, after))
				.thenCompose((found) -> {
					List<FarScript.Chunk> chunks = found.chunks();
					if (chunks.isEmpty()) {
						return before.thenCompose((goesOn) -> end());
					}
					return mayPutBack(chunks).thenCompose((own) -> {
						if (!own) {
							return before.thenCompose((goesOn) -> end());
						}
						CompletableFuture<Boolean> moving = putBack(
								chunks.stream().filter((each) -> this.taken.add(each.number())).toList());
						FarScript.Chunk last = chunks.get(chunks.size() - 1);
						return before.thenCompose((goesOn) -> (goesOn && found.hasNext()) ? step(last, moving)
								: moving.thenCompose((ended) -> end()));
					});
				});
		}

		/**
		 * Asks for the turn, unless none of the chunks can be put back by this instance:
		 * it leaves the turn to one that has the database of cold messages.
		 */
		private CompletableFuture<Boolean> mayPutBack(List<FarScript.Chunk> chunks) {
			return chunks.stream().anyMatch(FarScript.Chunk::hasContent) ? this.turn.get()
					: CompletableFuture.completedFuture(!this.isOver.getAsBoolean());
		}

		/**
		 * Puts chunks back, until Redis does not answer.
		 * @return completes with whether to go on: not if none of them was put back as
		 * Redis did not answer
		 */
		private CompletableFuture<Boolean> putBack(List<FarScript.Chunk> chunks) {
			List<CompletableFuture<Boolean>> moving = chunks.stream()
				.map((chunk) -> FarMover.this.moves.run(() -> thaw(chunk)).handle((thawed, thrown) -> {
					this.failure = (thrown != null) ? thrown : this.failure;
					return thrown == null;
				}))
				.toList();
			return CompletableFuture.allOf(moving.toArray(CompletableFuture[]::new))
				.thenApply((done) -> moving.isEmpty() || moving.stream().anyMatch(CompletableFuture::join));
		}

		/**
		 * Those that wait do not ask a Redis that does not answer: it may be one of
		 * several, and the queues of the others wait behind them.
		 */
		private CompletableFuture<FarScript.Thawed> thaw(FarScript.Chunk chunk) {
			Throwable before = this.failure;
			return StoreException.isAway(before) ? CompletableFuture.failedFuture(Objects.requireNonNull(before))
					: FarMover.this.scripts.far().thaw(this.queue, chunk);
		}

		private CompletableFuture<Void> end() {
			Throwable thrown = this.failure;
			return (thrown != null) ? CompletableFuture.failedFuture(thrown) : CompletableFuture.completedFuture(null);
		}

	}

}
