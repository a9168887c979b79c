package io.redelay.queue.wire;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.redelay.queue.request.CopiesRequest;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.WaitingCaller;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.queue.script.admin.RedisRecurringStore;
import io.redelay.scheduling.Scheduler;

/**
 * Runs the scripts of an instance, as they are in the jar, on a simulated server, and
 * repeats requests as the instance does.
 */
public final class SimulatedConnection implements ScriptExecutor {

	/**
	 * How long an instance repeats a request.
	 */
	private static final Duration RESEND_FOR = Duration.ofSeconds(30);

	private final Server server;

	private final Resender resender;

	private final UnaryOperator<String> texts;

	private SimulatedConnection(Server server, Scheduler scheduler, RedisAvailability availability,
			UnaryOperator<String> texts) {
		this.server = server;
		this.texts = texts;
		this.resender = new Resender(scheduler, RESEND_FOR, Duration.ofDays(1), availability);
		availability.probeBy((keys) -> this.resender.<Object>send("Asking whether Redis is there", keys, false,
				Duration.ZERO, () -> server.run(Script.COUNT, "PROBE", "return 1", List.of(), List.of())));
	}

	/**
	 * Creates the scripts that look at queues and act on them, for a test.
	 */
	public static AdminScripts admin(Server server, String prefix, Scheduler scheduler) {
		return admin(server, prefix, scheduler, null);
	}

	/**
	 * Creates the scripts that look at queues and act on them, for a test.
	 * @param gate refuses this instance, or others
	 */
	public static AdminScripts admin(Server server, String prefix, Scheduler scheduler, WireGate gate) {
		RedisAvailability availability = new RedisAvailability(scheduler, Duration.ofSeconds(1), Duration.ofMinutes(1));
		return new AdminScripts(
				new ScriptRunner(prefix,
						new SimulatedConnection(server, scheduler, availability, UnaryOperator.identity()), () -> gate),
				() -> prefix + ":wake:", scheduler, ReplayMemory.NONE, 4 * 1024 * 1024);
	}

	/**
	 * Creates the scripts of an instance that look at queues and act on them.
	 */
	public static AdminScripts admin(QueueScripts scripts, Scheduler scheduler) {
		return new AdminScripts(scripts.runner(), scripts.wakeUps()::prefix, scheduler, scripts.replayMemory(),
				4 * 1024 * 1024);
	}

	/**
	 * Creates what keeps the recurring messages of an instance.
	 */
	public static RecurringStore recurring(QueueScripts scripts) {
		return new RedisRecurringStore(scripts.runner(), scripts.wakeUps()::prefix, scripts.instance());
	}

	/**
	 * Creates the scripts of an instance.
	 * @param texts gives the text of a script another form
	 */
	public static QueueScripts open(Server server, String prefix, WakeUpSource wakeUps, Scheduler scheduler,
			ReplayMemory memory, UnaryOperator<String> texts) {
		return open(server, prefix, wakeUps, scheduler, memory, texts, ScriptListeners.none());
	}

	/**
	 * Creates the scripts of an instance.
	 * @param texts gives the text of a script another form
	 * @param listeners called because of requests and replies
	 */
	public static QueueScripts open(Server server, String prefix, WakeUpSource wakeUps, Scheduler scheduler,
			ReplayMemory memory, UnaryOperator<String> texts, ScriptListeners listeners) {
		RedisAvailability availability = new RedisAvailability(scheduler, Duration.ofSeconds(1), Duration.ofMinutes(1));
		availability.whenBack(memory::checkAll);
		ScriptRunner runner = new ScriptRunner(prefix, new SimulatedConnection(server, scheduler, availability, texts));
		return new QueueScripts(runner, wakeUps, scheduler, memory, availability, listeners);
	}

	@Override
	public boolean isClustered() {
		return false;
	}

	@Override
	public CompletableFuture<?> run(String what, Script script, List<Object> keys, Object[] args) {
		List<byte[]> sentKeys = bytes(keys);
		List<byte[]> sentArgs = bytes(Arrays.asList(script.sent(args)));
		String text = this.texts.apply(LuaScripts.load().text(script));
		Supplier<CompletionStage<Object>> client = () -> this.server.run(script, script.sent().name(), text, sentKeys,
				sentArgs);
		boolean waits = script == Script.SEND && WaitingCaller.take();
		return this.resender.send(what, List.of(), script.isAskedOnce(), Duration.ZERO, waits
				? firstByCaller(() -> this.server.call(script, script.sent().name(), text, sentKeys, sentArgs), client)
				: client);
	}

	/**
	 * Makes the first attempt on the calling thread, and each further one by the client.
	 */
	private static Supplier<CompletionStage<Object>> firstByCaller(Callable<Object> caller,
			Supplier<CompletionStage<Object>> client) {
		AtomicBoolean first = new AtomicBoolean(true);
		return () -> {
			if (!first.getAndSet(false)) {
				return client.get();
			}
			try {
				return CompletableFuture.completedFuture(caller.call());
			}
			catch (Exception ex) {
				return CompletableFuture.failedFuture(ex);
			}
		};
	}

	@Override
	public CompletableFuture<CopyingScript.Copied> runAndCopy(String what, Script script, List<Object> keys,
			Object[] args, String expiry, CopiesRequest copies) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException("There are no replicas"));
	}

	@Override
	public void close() {
		this.resender.close();
	}

	private static List<byte[]> bytes(List<?> values) {
		List<byte[]> all = new ArrayList<>(values.size());
		for (Object value : values) {
			all.add(bytes(value));
		}
		return all;
	}

	private static byte[] bytes(Object value) {
		if (value instanceof ByteBuffer part) {
			byte[] bytes = new byte[part.remaining()];
			part.duplicate().get(bytes);
			return bytes;
		}
		return (value instanceof byte[] bytes) ? bytes : value.toString().getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Where a script is sent to.
	 */
	public interface Server {

		/**
		 * Sends a request once.
		 * @return its reply, or a failure as the client has it
		 */
		CompletableFuture<Object> run(Script script, String name, String text, List<byte[]> keys, List<byte[]> args);

		/**
		 * Sends a request once, on a connection of the calling thread, which waits.
		 * @return its reply
		 * @throws IOException if the connection is lost, so that it is unknown whether
		 * the request was or will be carried out
		 */
		default Object call(Script script, String name, String text, List<byte[]> keys, List<byte[]> args)
				throws IOException {
			throw new ConnectException("There are no such connections");
		}

	}

}
