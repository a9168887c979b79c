package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import org.jspecify.annotations.Nullable;

/**
 * One packing of the messages of one queue that are due after its horizon.
 * <p>
 * A chunk has messages whose due times are close to each other, compared with how far
 * away they are. So when its first message comes near, most of the others are not packed
 * many times again before their own time. Where few messages are due at about the same
 * time they stay near.
 * <p>
 * Used by one thread at a time.
 */
final class FarPacking {

	private static final int MAX_BYTES = 256 * 1024;

	/**
	 * How far the due times of a chunk are from each other at most: a part of how far
	 * away the first one is, or this.
	 */
	private static final Duration SPAN = Duration.ofMinutes(10);

	private static final int PART = 4;

	/**
	 * How many steps it makes. The next one goes on there.
	 */
	private static final int MAX_STEPS = 200;

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final AdminScripts scripts;

	private final String queue;

	private final FarSettings settings;

	private final Supplier<CompletableFuture<Boolean>> gate;

	private final BooleanSupplier isTimeOver;

	/**
	 * Messages that were found and not packed yet.
	 */
	private final List<PackedMessages.Entry> waiting = new ArrayList<>();

	private boolean registered;

	private boolean mayPack;

	private boolean refused;

	/**
	 * The due time of the last message that was looked at, and how many messages with
	 * that time were packed since: so many fewer are to be passed over.
	 */
	private String lastDue = "";

	private int packedThere;

	private boolean packedAny;

	/**
	 * Creates it.
	 * @param settings which messages are packed
	 * @param gate asked before the first are packed whether any may be
	 * @param isTimeOver asked whether to end, after each step
	 */
	FarPacking(AdminScripts scripts, String queue, FarSettings settings, Supplier<CompletableFuture<Boolean>> gate,
			BooleanSupplier isTimeOver) {
		this.scripts = scripts;
		this.queue = queue;
		this.settings = settings;
		this.gate = gate;
		this.isTimeOver = isTimeOver;
	}

	/**
	 * Packs messages.
	 * @param place where to go on, or {@code null} to begin
	 * @return where the next packing goes on, or {@code null} if this one came to the end
	 * or may not pack
	 */
	CompletableFuture<FarScript.@Nullable Place> from(FarScript.@Nullable Place place) {
		return step(place, MAX_STEPS);
	}

	/**
	 * Returns whether it has packed some messages.
	 */
	boolean hasPacked() {
		return this.packedAny;
	}

	private CompletableFuture<FarScript.@Nullable Place> step(FarScript.@Nullable Place place, int steps) {
		return this.scripts.far().look(this.queue, place, this.settings.of(this.queue)).thenCompose((found) -> {
			this.waiting.addAll(found.messages());
			FarScript.Place next = found.next();
			this.lastDue = (next != null) ? next.due() : "";
			this.packedThere = 0;
			return ((found.first() != null) ? register() : DONE)
				.thenCompose((known) -> packAll(found.time(), next == null || steps <= 1))
				.thenCompose((packed) -> {
					if (next == null || this.refused) {
						return CompletableFuture.completedFuture(null);
					}
					FarScript.Place left = new FarScript.Place(next.due(),
							Math.max(0, next.passed() - this.packedThere));
					return (steps > 1 && !this.isTimeOver.getAsBoolean()) ? step(left, steps - 1)
							: CompletableFuture.completedFuture(left);
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
			long bytes = chunk.stream().mapToLong((each) -> each.envelope().length).sum();
			if (size >= this.settings.fewest() || bytes >= MAX_BYTES) {
				return pack(chunk).thenCompose((packed) -> packAll(now, all));
			}
		}
		return DONE;
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
	private CompletableFuture<Void> pack(List<PackedMessages.Entry> chunk) {
		return (this.mayPack ? CompletableFuture.completedFuture(true) : this.gate.get()).thenCompose((may) -> {
			this.mayPack = may;
			if (!may) {
				this.refused = true;
				this.waiting.clear();
				return CompletableFuture.completedFuture(false);
			}
			return register()
				.thenCompose((done) -> this.scripts.far().pack(this.queue, chunk, this.settings.lead(this.queue)));
		}).thenAccept((packed) -> {
			this.packedAny |= packed;
			this.packedThere += packed ? (int) chunk.stream()
				.filter((each) -> Long.toString(each.dueMillis()).equals(this.lastDue))
				.count() : 0;
		});
	}

	/**
	 * Registers the queue once in a packing: the list of names may have gone back in
	 * time.
	 */
	private CompletableFuture<Void> register() {
		return this.registered ? DONE
				: this.scripts.names().registerFar(this.queue).thenAccept((done) -> this.registered = true);
	}

}
