package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.StoredRunState;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.test.VirtualTime;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the recurring messages of one queue in memory as the scripts keep them, for as
 * many instances as a test has, and can go back in time.
 */
final class MemoryRecurringStore {

	static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

	private final VirtualTime time;

	private Map<String, String> known = new TreeMap<>();

	private Map<String, NewMessage> living = new TreeMap<>();

	MemoryRecurringStore(VirtualTime time) {
		this.time = time;
	}

	Instant now() {
		return EPOCH.plus(this.time.elapsed());
	}

	/**
	 * The messages that are due and have not ended.
	 */
	List<NewMessage> due() {
		return this.living.values()
			.stream()
			.filter((message) -> !Objects.requireNonNull(message.dueAt()).isAfter(now()))
			.toList();
	}

	boolean lives(String uid) {
		return this.living.containsKey(uid);
	}

	void end(String uid) {
		this.living.remove(uid);
	}

	/**
	 * Remembers what is there.
	 * @return goes back to it
	 */
	Runnable snapshot() {
		Map<String, String> knownNow = new TreeMap<>(this.known);
		Map<String, NewMessage> livingNow = new TreeMap<>(this.living);
		return () -> {
			this.known = new TreeMap<>(knownNow);
			this.living = new TreeMap<>(livingNow);
		};
	}

	RecurringStore instance(String name) {
		return new Instance(name);
	}

	private RecurringStore.Entry entry(@Nullable String text) {
		Set<String> there = new HashSet<>();
		if (text != null) {
			for (String uid : text.substring(0, text.indexOf('\n')).split(" ")) {
				if (this.living.containsKey(uid)) {
					there.add(uid);
				}
			}
		}
		return new RecurringStore.Entry(now(), text, StoredRunState.NONE, there);
	}

	private final class Instance implements RecurringStore {

		private final String name;

		private Instance(String name) {
			this.name = name;
		}

		@Override
		public String instance() {
			return this.name;
		}

		@Override
		public CompletableFuture<RecurringStore.Entry> look(String queue, String recurring) {
			return CompletableFuture.completedFuture(entry(MemoryRecurringStore.this.known.get(recurring)));
		}

		@Override
		public CompletableFuture<Map<String, RecurringStore.Entry>> list(String queue) {
			Map<String, RecurringStore.Entry> all = new TreeMap<>();
			MemoryRecurringStore.this.known.forEach((recurring, text) -> all.put(recurring, entry(text)));
			return CompletableFuture.completedFuture(all);
		}

		@Override
		public CompletableFuture<Boolean> write(String queue, RecurringStore.Change change) {
			Map<String, String> all = MemoryRecurringStore.this.known;
			if (!Objects.equals(all.get(change.name()), change.expected())) {
				return CompletableFuture.completedFuture(false);
			}
			if (change.replacement() == null) {
				all.remove(change.name());
			}
			else {
				all.put(change.name(), change.replacement());
			}
			Map<String, NewMessage> messages = MemoryRecurringStore.this.living;
			new ArrayList<>(messages.values()).stream()
				.filter((message) -> change.removed().contains(message.uid()))
				.filter((message) -> Objects.requireNonNull(message.dueAt()).isAfter(now()))
				.forEach((message) -> messages.remove(message.uid()));
			change.added().forEach((message) -> messages.put(message.uid(), message));
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public CompletableFuture<Void> register(String queue) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletableFuture<Void> unregister(String queue) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletableFuture<Set<String>> queues() {
			return CompletableFuture.completedFuture(Set.of("queue"));
		}

		@Override
		public CompletableFuture<Void> announce(Duration timeToLive) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletableFuture<Boolean> isAnnounced(String instance) {
			return CompletableFuture.completedFuture(true);
		}

	}

}
