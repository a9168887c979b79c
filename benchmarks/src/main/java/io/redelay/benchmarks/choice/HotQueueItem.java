package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;

/**
 * How long messages of quiet queues wait while another queue always has thousands
 * waiting: with one listener for all of them, beside a listener each.
 */
final class HotQueueItem implements Item {

	private static final String HOT = "hot";

	private static final int BACKLOG = 5000;

	private static final Duration WARM_UP = Duration.ofSeconds(3);

	@Override
	public String name() {
		return "hot-queue";
	}

	@Override
	public void run(Round round) {
		List<String> quiet = IntStream.range(1, round.options().queues()).mapToObj((i) -> "quiet-" + i).toList();
		List<String> each = new ArrayList<>(quiet);
		each.add(HOT);
		List<String> one = List.of(String.join(",", each));
		Outcome apart;
		Outcome together;
		if (round.isReversed()) {
			together = measure(round.options(), one, quiet);
			apart = measure(round.options(), each, quiet);
		}
		else {
			apart = measure(round.options(), each, quiet);
			together = measure(round.options(), one, quiet);
		}
		round.report("p99 of the quiet ones, a listener each → one", "ms", apart.waits().millis(99),
				together.waits().millis(99), Bound.ratioAtMost(2));
		round.report("p50 of the quiet ones, a listener each → one", "ms", apart.waits().millis(50),
				together.waits().millis(50), null);
		round.report("the hot one, a listener each → one", "messages/s", apart.perSecond(), together.perSecond(), null);
	}

	private static Outcome measure(ChoiceOptions options, List<String> listeners, List<String> quiet) {
		Waits warmUp = new Waits(Math.toIntExact(WARM_UP.toSeconds() * options.perSecond()));
		Work handler = new Work(options.work(), warmUp);
		try (RedisServer server = RedisServer.start();
				ChoiceApplication application = new ChoiceApplication(server.uri(), listeners, handler::handle,
						"redelay.queue.listener.concurrency=" + options.concurrency());
				Backlog backlog = new Backlog(application.template(), HOT, BACKLOG, handler::loud)) {
			backlog.keep();
			application.listen();
			Pacer pacer = new Pacer(application.template());
			pacer.send((i) -> quiet(quiet, i), WARM_UP, options.perSecond());
			warmUp.await();
			Waits waits = new Waits(Math.toIntExact(options.seconds() * (long) options.perSecond()));
			handler.waits(waits);
			long before = handler.loud();
			long start = System.nanoTime();
			pacer.send((i) -> quiet(quiet, i), options.duration(), options.perSecond());
			double perSecond = (handler.loud() - before) / ((System.nanoTime() - start) / 1e9);
			waits.await();
			return new Outcome(waits, perSecond);
		}
	}

	private static OutboundMessage quiet(List<String> queues, int number) {
		return OutboundMessage.to(queues.get(number % queues.size()), Parcel.ofQuiet());
	}

	/**
	 * What was measured with one way to listen.
	 *
	 * @param waits the waits of the quiet queues
	 * @param perSecond how many messages of the hot queue were handled in a second
	 */
	private record Outcome(Waits waits, double perSecond) {

	}

}
