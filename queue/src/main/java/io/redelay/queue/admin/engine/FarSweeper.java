package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

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
 * packed ones near ahead of their time: half the horizon before. One instance does each
 * of the two at a time; two that do so at once only work in vain. Does nothing before it
 * is started.
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
	 * How many times it looks for those before it looks for messages to pack.
	 */
	private static final int MOVES_A_PACKING = 6;

	private static final Duration FIRST_LOOK = Duration.ofSeconds(1);

	/**
	 * For how many intervals an instance has a turn.
	 */
	private static final int TURN = 3;

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

	/**
	 * How many chunks come near at once.
	 */
	private static final int CHUNKS = 8;

	private static final Log logger = PlainLog.of(FarSweeper.class);

	private final AdminScripts scripts;

	private final QueueNames names;

	private final FarSettings settings;

	private final String owner;

	private final Duration turn;

	private final QueueRound moving;

	private final QueueRound packing;

	private final RegularTask first;

	private final RegularTask regular;

	/**
	 * Where the next packing goes on, of queues that were not gone through.
	 */
	private final Map<String, FarScript.Place> places = new ConcurrentHashMap<>();

	/**
	 * Where the next packing goes on to look for chunks of which most is gone.
	 */
	private final Map<String, FarScript.Chunk> compacted = new ConcurrentHashMap<>();

	private int looks;

	/**
	 * Creates a sweeper.
	 * @param scripts the store
	 * @param settings which messages are packed
	 * @param owner the name of this instance in the store
	 * @param scheduler when to look
	 * @param interval how often
	 */
	public FarSweeper(AdminScripts scripts, FarSettings settings, String owner, Scheduler scheduler,
			Duration interval) {
		this.scripts = scripts;
		this.names = scripts.names();
		this.settings = settings;
		this.owner = owner;
		this.turn = interval.multipliedBy(TURN);
		this.moving = new QueueRound(scheduler,
				(failed) -> logger.warn("Packed messages were not brought near in " + failed));
		this.packing = new QueueRound(scheduler,
				(failed) -> logger.warn("Messages of the far future were not packed in " + failed));
		this.first = new RegularTask(scheduler, FIRST_LOOK, this::firstSweep,
				(failure) -> this.moving.failed("any queue", failure));
		this.regular = new RegularTask(scheduler, interval, this::sweep,
				(failure) -> this.moving.failed("any queue", failure));
	}

	/**
	 * Begins to look, unless it does already.
	 */
	public void start() {
		this.regular.start();
		// Messages may have become due while no instance ran.
		this.first.start();
	}

	private CompletableFuture<Void> firstSweep() {
		this.first.close();
		return bringNear();
	}

	@Override
	public void close() {
		this.first.close();
		this.regular.close();
	}

	private CompletableFuture<Void> sweep() {
		boolean packs = ++this.looks % MOVES_A_PACKING == 0 && this.settings.packsAny();
		return bringNear().thenCompose((moved) -> packs ? pack() : CompletableFuture.completedFuture(null));
	}

	/**
	 * Brings near what is due soon in all queues.
	 * @return a future that completes when it was done or failed for each
	 */
	CompletableFuture<Void> bringNear() {
		return this.names.far()
			.thenCompose((queues) -> queues.isEmpty() ? CompletableFuture.completedFuture(null)
					: inTurn("near", () -> this.moving.go(queues, this::bringNear)));
	}

	/**
	 * Packs what is due much later in all queues.
	 * @return a future that completes when it was done or failed for each
	 */
	CompletableFuture<Void> pack() {
		return inTurn("far", () -> this.names.queues().thenCompose((queues) -> {
			this.places.keySet().retainAll(queues);
			this.compacted.keySet().retainAll(queues);
			return this.packing.go(queues, this::pack);
		}));
	}

	private CompletableFuture<Void> inTurn(String what, Supplier<CompletableFuture<Void>> action) {
		return this.names.takeTurn(what, this.owner, this.turn)
			.thenCompose((own) -> own ? action.get() : CompletableFuture.completedFuture(null));
	}

	CompletableFuture<Void> bringNear(String queue) {
		return this.scripts.far().chunks(queue, false, 1, null, null).thenCompose((first) -> {
			Instant until = first.time().plus(this.settings.lead(queue));
			boolean due = !first.chunks().isEmpty() && first.chunks().get(0).dueMillis() <= until.toEpochMilli();
			return due ? bringNear(queue, until, null) : CompletableFuture.completedFuture(null);
		});
	}

	/**
	 * A chunk that does not come near is passed over.
	 */
	private CompletableFuture<Void> bringNear(String queue, Instant until, FarScript.@Nullable Chunk after) {
		FarScript far = this.scripts.far();
		return far.chunks(queue, true, CHUNKS, until, after).thenCompose((found) -> {
			List<FarScript.Chunk> chunks = found.chunks();
			if (chunks.isEmpty()) {
				return CompletableFuture.completedFuture(null);
			}
			List<CompletableFuture<FarScript.Thawed>> thawing = chunks.stream()
				.map((chunk) -> far.thaw(queue, chunk))
				.toList();
			return CompletableFuture.allOf(thawing.toArray(CompletableFuture[]::new)).thenCompose((thawed) -> {
				FarScript.Chunk last = after;
				for (int i = 0; i < chunks.size(); i++) {
					last = (thawing.get(i).join() != FarScript.Thawed.NEAR) ? chunks.get(i) : last;
				}
				return bringNear(queue, until, last);
			});
		});
	}

	CompletableFuture<Void> pack(String queue) {
		Duration beyond = this.settings.of(queue);
		if (beyond.isZero()) {
			return CompletableFuture.completedFuture(null);
		}
		return this.scripts.far().compact(queue, this.compacted.remove(queue)).thenCompose((last) -> {
			if (last != null) {
				this.compacted.put(queue, last);
			}
			return new Packing(queue, beyond).step(this.places.get(queue), MAX_STEPS);
		});
	}

	/**
	 * The packing of the messages of one queue.
	 */
	private final class Packing {

		private final String queue;

		private final Duration beyond;

		/**
		 * Messages that were found and not packed yet.
		 */
		private final List<PackedMessages.Entry> waiting = new ArrayList<>();

		private boolean registered;

		/**
		 * The due time of the last message that was looked at, and how many messages with
		 * that time were packed since: so many fewer are to be passed over.
		 */
		private String lastDue = "";

		private int packedThere;

		Packing(String queue, Duration beyond) {
			this.queue = queue;
			this.beyond = beyond;
		}

		CompletableFuture<Void> step(FarScript.@Nullable Place place, int steps) {
			return FarSweeper.this.scripts.far().look(this.queue, place, this.beyond).thenCompose((found) -> {
				found.messages()
					.stream()
					.filter((each) -> each.envelope().length <= PackedMessages.MAX_ENVELOPE)
					.forEach(this.waiting::add);
				FarScript.Place next = found.next();
				this.lastDue = (next != null) ? next.due() : "";
				this.packedThere = 0;
				CompletableFuture<Void> known = (found.first() != null) ? register()
						: CompletableFuture.completedFuture(null);
				return known.thenCompose((done) -> packAll(found.time(), next == null || steps <= 1))
					.thenCompose((packed) -> {
						if (next == null) {
							FarSweeper.this.places.remove(this.queue);
							return CompletableFuture.completedFuture(null);
						}
						FarScript.Place left = new FarScript.Place(next.due(),
								Math.max(0, next.passed() - this.packedThere));
						if (steps > 1) {
							return step(left, steps - 1);
						}
						FarSweeper.this.places.put(this.queue, left);
						return CompletableFuture.completedFuture(null);
					});
			});
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
				if (size >= FarSweeper.this.settings.fewest()) {
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
			return register()
				.thenCompose((done) -> FarSweeper.this.scripts.far()
					.pack(this.queue, chunk, FarSweeper.this.settings.lead(this.queue)))
				.thenApply((packed) -> {
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
