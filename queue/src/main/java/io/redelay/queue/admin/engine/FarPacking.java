package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import org.jspecify.annotations.Nullable;

/**
 * One walk through the messages of a queue that are due after its horizon, which packs
 * them in steps.
 * <p>
 * A chunk has messages whose due times are close to each other, compared with how far
 * away they are. So when its first message comes near, most of the others are not packed
 * many times again before their own time. Where few messages are due at about the same
 * time they stay near.
 * <p>
 * Used by one thread at a time.
 */
final class FarPacking {

	private static final int MAX_BYTES = 64 * 1024;

	/**
	 * How far the due times of a chunk are from each other at most: a part of how far
	 * away the first one is, or this.
	 */
	private static final Duration SPAN = Duration.ofMinutes(10);

	private static final int PART = 4;

	/**
	 * How many messages a step collects at least before it packs them, unless they have
	 * so many bytes, or it has looked so often.
	 */
	private static final int COLLECTED = 8 * PackedMessages.MAX_MESSAGES;

	private static final int COLLECTED_BYTES = 4 * MAX_BYTES;

	private static final int MAX_LOOKS = 4;

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final AdminScripts scripts;

	private final FarMoves moves;

	private final String queue;

	private final FarSettings settings;

	private final Supplier<CompletableFuture<Boolean>> gate;

	private final BooleanSupplier isTimeOver;

	/**
	 * Messages that were found and not packed yet.
	 */
	private final List<PackedMessages.Entry> waiting = new ArrayList<>();

	/**
	 * Where the next step goes on, or {@code null} to begin.
	 */
	private FarScript.@Nullable Place place;

	private boolean registered;

	private boolean mayPack;

	private boolean packedAny;

	private boolean foundAny;

	/**
	 * Creates it.
	 * @param moves runs what packs
	 * @param settings which messages are packed
	 * @param gate asked before the first are packed whether any may be
	 * @param isTimeOver asked after each look whether to collect no more
	 */
	FarPacking(AdminScripts scripts, FarMoves moves, String queue, FarSettings settings,
			Supplier<CompletableFuture<Boolean>> gate, BooleanSupplier isTimeOver) {
		this.scripts = scripts;
		this.moves = moves;
		this.queue = queue;
		this.settings = settings;
		this.gate = gate;
		this.isTimeOver = isTimeOver;
	}

	/**
	 * Called before the first step of a round.
	 */
	void begin() {
		this.registered = false;
		this.mayPack = false;
	}

	/**
	 * Returns whether it has packed some messages.
	 */
	boolean hasPacked() {
		return this.packedAny;
	}

	/**
	 * Returns whether messages of the queue were packed before.
	 */
	boolean hasFound() {
		return this.foundAny;
	}

	/**
	 * Collects messages, and then packs them. Nothing is packed while it collects, as
	 * messages that leave would move the place of the next look. Messages to which others
	 * may come wait for the next step.
	 * @return whether there is a next step: not if this one came to the end or may not
	 * pack
	 */
	CompletableFuture<Boolean> step() {
		return collect(this.place, MAX_LOOKS).thenCompose((found) -> {
			this.foundAny |= found.first() != null;
			this.place = found.next();
			List<List<PackedMessages.Entry>> chunks = chunks(found.time(), this.place == null);
			if (chunks.isEmpty()) {
				return (found.first() != null) ? register() : DONE;
			}
			return mayPack().thenCompose((may) -> {
				if (!may) {
					this.place = null;
					return DONE;
				}
				return register().thenCompose((known) -> packAll(chunks)).thenAccept(this::passOver);
			});
		}).thenApply((done) -> this.place != null);
	}

	private CompletableFuture<FarScript.Look> collect(FarScript.@Nullable Place place, int looks) {
		return this.scripts.far().look(this.queue, place, this.settings.of(this.queue)).thenCompose((found) -> {
			this.waiting.addAll(found.messages());
			boolean isOver = found.next() == null || looks <= 1 || this.waiting.size() >= COLLECTED
					|| bytes(this.waiting) >= COLLECTED_BYTES || this.isTimeOver.getAsBoolean();
			return isOver ? CompletableFuture.completedFuture(found) : collect(found.next(), looks - 1);
		});
	}

	/**
	 * Goes on behind what was looked at: as many fewer messages with its due time are to
	 * be passed over as were packed.
	 */
	private void passOver(Collection<PackedMessages.Entry> packed) {
		FarScript.Place next = this.place;
		if (next != null) {
			int gone = (int) packed.stream()
				.filter((each) -> Long.toString(each.dueMillis()).equals(next.due()))
				.count();
			this.place = new FarScript.Place(next.due(), Math.max(0, next.passed() - gone));
		}
	}

	/**
	 * Takes chunks from the messages that wait.
	 * @param all whether to take the last ones, too
	 */
	private List<List<PackedMessages.Entry>> chunks(Instant now, boolean all) {
		List<List<PackedMessages.Entry>> chunks = new ArrayList<>();
		while (!this.waiting.isEmpty()) {
			int size = nextChunk(now);
			if (size == this.waiting.size() && !all && size < PackedMessages.MAX_MESSAGES) {
				break;
			}
			List<PackedMessages.Entry> chunk = List.copyOf(this.waiting.subList(0, size));
			this.waiting.subList(0, size).clear();
			if (size >= this.settings.fewest() || bytes(chunk) >= MAX_BYTES) {
				chunks.add(chunk);
			}
		}
		return chunks;
	}

	private static long bytes(List<PackedMessages.Entry> messages) {
		return messages.stream().mapToLong((each) -> each.envelope().length).sum();
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

	private CompletableFuture<Boolean> mayPack() {
		return this.mayPack ? CompletableFuture.completedFuture(true) : this.gate.get().thenApply((may) -> {
			this.mayPack = may;
			return may;
		});
	}

	/**
	 * Packs chunks. When one has failed, no other one is begun. If a message of one has
	 * changed meanwhile, the next walk takes the others. Those that did not fit into one
	 * wait for the next step.
	 * @return those that were packed
	 */
	private CompletableFuture<Collection<PackedMessages.Entry>> packAll(List<List<PackedMessages.Entry>> chunks) {
		Queue<PackedMessages.Entry> packed = new ConcurrentLinkedQueue<>();
		Queue<PackedMessages.Entry> over = new ConcurrentLinkedQueue<>();
		AtomicBoolean failed = new AtomicBoolean();
		CompletableFuture<?>[] packing = chunks.stream()
			.map((chunk) -> this.moves
				.run(() -> failed.get() ? CompletableFuture.completedFuture(0)
						: this.scripts.far().pack(this.queue, chunk, this.settings.lead(this.queue)))
				.whenComplete((done, failure) -> {
					if (failure != null) {
						failed.set(true);
					}
					else if (done > 0) {
						packed.addAll(chunk.subList(0, done));
						over.addAll(chunk.subList(done, chunk.size()));
					}
				}))
			.toArray(CompletableFuture[]::new);
		return CompletableFuture.allOf(packing).thenApply((done) -> {
			this.packedAny |= !packed.isEmpty();
			this.waiting.addAll(over);
			this.waiting.sort(Comparator.comparingLong(PackedMessages.Entry::dueMillis));
			return packed;
		});
	}

	/**
	 * Registers the queue once in a round: the list of names may have gone back in time.
	 */
	private CompletableFuture<Void> register() {
		return this.registered ? DONE
				: this.scripts.names().registerFar(this.queue).thenAccept((done) -> this.registered = true);
	}

}
