package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.StoredRunState;
import io.redelay.queue.script.MessageArguments;
import io.redelay.queue.script.NameLists;
import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import io.redelay.queue.wire.WakeUpChannel;
import io.redelay.scheduling.Scheduler;
import org.redisson.api.RedissonClient;

import org.springframework.util.function.SingletonSupplier;

/**
 * Keeps recurring messages on Redis, on the keys of their queues.
 *
 * @since 0.1.0
 */
public final class RedisRecurringStore implements RecurringStore, AutoCloseable {

	private static final String REGISTRY = "recurring";

	private static final String DECLARER = "declarer:";

	private final ScriptRunner runner;

	private final Supplier<String> wakePrefix;

	private final String instance;

	/**
	 * Creates a store.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix the prefix of all keys
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param availability notified of answers and failures; the stores of a server share
	 * one
	 * @param instance the name of this program
	 */
	public RedisRecurringStore(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, RedisAvailability availability, String instance) {
		this(new ScriptRunner(redisson, prefix, resendFor, Scheduler.of(timer, Runnable::run), LuaScripts.load(),
				availability), SingletonSupplier.of(() -> WakeUpChannel.prefix(redisson, prefix + ":wake:")), instance);
	}

	/**
	 * Creates a store on what runs its scripts.
	 */
	public RedisRecurringStore(ScriptRunner runner, Supplier<String> wakePrefix, String instance) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
		this.instance = instance;
	}

	/**
	 * Stops resending requests, as the application is closing. The client stays open.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

	@Override
	public String instance() {
		return this.instance;
	}

	@Override
	public CompletableFuture<RecurringStore.Entry> look(String queue, String name) {
		return this.runner.run(what("Looking at", queue, name), Script.RECURRING_LOOK,
				this.runner.keys(queue).of(Script.RECURRING_LOOK), new Object[] { name }, (reply) -> {
					Instant time = reply.timeAfterStatus();
					String known = reply.textOrNull();
					StoredRunState state = StoredRunState.read(reply.bytes());
					return new RecurringStore.Entry(time, known, state, new HashSet<>(reply.texts()));
				});
	}

	@Override
	public CompletableFuture<Map<String, RecurringStore.Entry>> list(String queue) {
		return this.runner.run(Script.RECURRING_LIST, queue, "Listing the recurring messages of", (reply) -> {
			Instant time = reply.timeAfterStatus();
			Map<String, RecurringStore.Entry> all = new TreeMap<>();
			while (reply.hasNext()) {
				String name = reply.text();
				String known = reply.text();
				StoredRunState state = StoredRunState.read(reply.bytes());
				all.put(name, new RecurringStore.Entry(time, known, state, Set.of(reply.text().split(" "))));
			}
			return all;
		});
	}

	@Override
	public CompletableFuture<Boolean> write(String queue, RecurringStore.Change change) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(List.of(change.name(), Objects.requireNonNullElse(change.expected(), ""),
				Objects.requireNonNullElse(change.replacement(), ""), this.wakePrefix.get(),
				String.join(" ", change.removed()), change.forgetsState() ? StoredRunState.REMOVED.token() + " " : ""));
		for (NewMessage message : change.added()) {
			Instant due = Objects.requireNonNull(message.dueAt());
			MessageKeys order = message.keys();
			args.addAll(List.of(message.uid(), ScriptTime.millis(Duration.between(Instant.EPOCH, due)),
					Arrays.copyOfRange(message.envelope(), 1, message.envelope().length),
					(order != null && !order.arePlain())
							? MessageArguments.attributes(order).getBytes(StandardCharsets.UTF_8) : ""));
		}
		return this.runner.run(what("Changing", queue, change.name()), Script.RECURRING_WRITE,
				keys.steered(keys.recurring()), args.toArray(), (reply) -> !reply.text().equals(ScriptWords.CHANGED));
	}

	@Override
	public CompletableFuture<Void> register(String queue) {
		String what = "Registering the recurring messages of the queue '" + queue + "'";
		NameLists names = new NameLists(this.runner);
		return names.add(what, NameLists.QUEUES, queue).thenCompose((known) -> names.add(what, REGISTRY, queue));
	}

	@Override
	public CompletableFuture<Void> unregister(String queue) {
		return new NameLists(this.runner).remove("Forgetting that the queue '" + queue + "' had recurring messages",
				REGISTRY, queue);
	}

	@Override
	public CompletableFuture<Set<String>> queues() {
		return new NameLists(this.runner).read("Listing the queues with recurring messages", REGISTRY);
	}

	@Override
	public CompletableFuture<Void> announce(Duration timeToLive) {
		return this.runner.runOnKey(Script.DECLARE, DECLARER + this.instance,
				"Announcing that this instance declares recurring messages", (reply) -> null,
				ScriptTime.millis(timeToLive));
	}

	@Override
	public CompletableFuture<Boolean> isAnnounced(String declarer) {
		return this.runner.runOnKey(Script.INTRODUCE, DECLARER + declarer,
				"Asking whether an instance declares recurring messages", (reply) -> reply.textOrNull() != null);
	}

	private static String what(String verb, String queue, String name) {
		return verb + " the recurring message '" + name + "' of the queue '" + queue + "'";
	}

}
