package io.redelay.queue.wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.ScriptObserver;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.TestQueue;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Integration tests for what a {@link ScriptObserver} costs.
 */
class ScriptObserverIntegrationTests {

	private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

	@Test
	void requestsNothingMoreAndCallsOnlyTheObserversInTheList() {
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try (RedisServer server = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(server.uri());
			try {
				Recorder recorder = new Recorder();
				ScriptObservers observers = new ScriptObservers(System::nanoTime);
				QueueScripts store = TestScripts.create(client, "redelay", Duration.ofSeconds(5), timer,
						ReplayMemory.NONE, LuaScripts.load(), new ScriptListeners(observers, (queue) -> {
						}, () -> {
						}, (queue, time) -> {
						}));
				use(store, server);
				Map<String, String> unobserved = use(store, server);
				observers.add(recorder);
				assertThat(use(store, server)).isEqualTo(unobserved);
				assertThat(recorder.calls).containsExactly("sending", "sent", "claimed 0 [false]", "claimed 1 [true]",
						"claimed 0 [false]");
				observers.remove(recorder);
				use(store, server);
				assertThat(recorder.calls).hasSize(5);
			}
			finally {
				client.shutdown();
			}
		}
		finally {
			timer.shutdownNow();
		}
	}

	/**
	 * Sends a message that becomes ready, claims and acknowledges it.
	 * @return how often each command was called
	 */
	private static Map<String, String> use(QueueScripts store, RedisServer server) {
		TestQueue queue = new TestQueue(store);
		TestQueue.Sender sender = queue.sender();
		TestQueue.Consumer consumer = queue.consumer();
		server.command("CONFIG", "RESETSTAT");
		sender.send(queue.message("soon", Duration.ofSeconds(1)));
		assertThat(consumer.claim(1).messages()).isEmpty();
		String due = queue.key("scheduled");
		String uid = ((List<?>) server.command("ZRANGE", due, "0", "0")).get(0).toString();
		server.command("ZADD", due, "1", uid);
		ClaimReply reply = consumer.claim(1);
		assertThat(reply.messages()).hasSize(1);
		consumer.claim(0, Settlement.ack(uid, reply.messages().get(0).claim()));
		Map<String, String> calls = new TreeMap<>();
		CALLS.matcher(String.valueOf(server.command("INFO", "commandstats")))
			.results()
			.forEach((call) -> calls.put(call.group(1), call.group(2)));
		assertThat(calls).containsKeys("evalsha", "zrangebyscore");
		calls.remove("ping"); // of the client, at times of its own
		return calls;
	}

	private static final class Recorder implements ScriptObserver {

		final List<String> calls = new ArrayList<>();

		@Override
		public boolean needsSends() {
			return true;
		}

		@Override
		public boolean needsMoves() {
			return true;
		}

		@Override
		public void sending(String queue, SendRequest request) {
			this.calls.add("sending");
		}

		@Override
		public void called(ScriptCall call) {
			if (call instanceof ScriptCall.Claim claim) {
				ClaimReply reply = claim.reply();
				this.calls.add("claimed " + reply.messages().size() + " [" + !reply.moves().ready().isEmpty() + "]");
			}
			else if (call instanceof ScriptCall.Send) {
				this.calls.add("sent");
			}
		}

	}

}
