package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntFunction;

import io.redelay.benchmarks.RedisTime;
import io.redelay.benchmarks.RedissonConnection;
import io.redelay.benchmarks.SampleEnvelope;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.claim.ClaimLane;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.SendScripts;
import io.redelay.queue.wire.RedisAvailability;
import org.redisson.api.RedissonClient;

/**
 * How long Redis computes a claim of ten messages while there are few keys, or many, and
 * the same number of messages. It is Redis' own clock.
 */
final class KeysItem implements Item {

	private static final String QUEUE = "keys";

	private static final int BATCH = 10;

	private static final int CLAIMS = 500;

	private static final int MESSAGES = 200_000;

	private static final int TOGETHER = 1000;

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private final byte[] envelope = SampleEnvelope.of(200);

	@Override
	public String name() {
		return "keys";
	}

	@Override
	public void run(Round round) {
		compare(round, "ordering", (key) -> new MessageKeys("k" + key, null, 1, null, null, false));
		compare(round, "fairness", KeysItem::fair);
		int backlog = round.options().backlog();
		int fewest = round.options().keys().get(0);
		double without = measure(MESSAGES, (number) -> fair(number % fewest));
		double with = measure(MESSAGES + backlog, (number) -> fair((number < backlog) ? -1 : number % fewest));
		round.report("a claim of 10, %,d fairness keys → and one with %,d messages".formatted(fewest, backlog), "µs",
				without, with, Bound.ratioAtMost(1.5));
	}

	private void compare(Round round, String kind, IntFunction<MessageKeys> keys) {
		List<Integer> numbers = round.options().keys();
		int fewest = numbers.get(0);
		double base = measure(MESSAGES, (number) -> keys.apply(number % fewest));
		for (int many : numbers.subList(1, numbers.size())) {
			double value = measure(MESSAGES, (number) -> keys.apply(number % many));
			round.report("a claim of 10, %,d → %,d %s keys".formatted(fewest, many, kind), "µs", base, value,
					Bound.ratioAtMost(1.5));
		}
	}

	private static MessageKeys fair(int key) {
		return new MessageKeys(null, "k" + key, 1, null, null, false);
	}

	private double measure(int messages, IntFunction<MessageKeys> keys) {
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try (RedisServer server = RedisServer.start()) {
			RedissonClient redisson = RedissonConnection.open(server.uri());
			try {
				QueueScripts store = new QueueScripts(redisson, "redelay-benchmark", Duration.ofSeconds(30), timer,
						ReplayMemory.NONE, new RedisAvailability(timer), ScriptListeners.none());
				fill(new RequestBatcher<>(
						store.sends().protocol(QUEUE, new SendScripts.Terms(10 * TOGETHER, null, null)),
						store.replayMemory()), messages, keys);
				ClaimLane lane = new ClaimLane(store, QUEUE, Duration.ofSeconds(30), ClaimLimits.NONE, true,
						new ClaimLane.RetryTimes(), Invariants.LOGGED);
				lane.open().join();
				List<Settlement> finished = claim(lane, CLAIMS / 5, List.of());
				RedisTime before = RedisTime.of(server);
				claim(lane, CLAIMS, finished);
				return RedisTime.of(server).since(before).microsPerScript();
			}
			finally {
				redisson.shutdown();
			}
		}
		finally {
			timer.shutdownNow();
		}
	}

	private void fill(RequestBatcher<NewMessage, SendReply> sender, int messages, IntFunction<MessageKeys> keys) {
		Uids uids = new Uids();
		for (int sent = 0; sent < messages; sent += TOGETHER) {
			List<NewMessage> together = new ArrayList<>(TOGETHER);
			for (int i = sent; i < Math.min(messages, sent + TOGETHER); i++) {
				together.add(new NewMessage(uids.next(), null, null, null, this.envelope, keys.apply(i), null));
			}
			sender.submit(together, true).join();
		}
	}

	private static List<Settlement> claim(ClaimLane lane, int claims, List<Settlement> settlements) {
		List<Settlement> finished = settlements;
		for (int i = 0; i < claims; i++) {
			ClaimReply reply = lane.claim(BATCH, 0, MAX_BYTES, true, Duration.ZERO, finished).join();
			if (reply.messages().size() != BATCH) {
				throw new IllegalStateException(
						"A claim of %d messages gave %d".formatted(BATCH, reply.messages().size()));
			}
			finished = reply.messages()
				.stream()
				.map((message) -> Settlement.ack(message.uid(), message.claim()))
				.toList();
		}
		return finished;
	}

}
