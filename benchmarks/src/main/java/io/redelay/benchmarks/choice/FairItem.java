package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.List;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;

/**
 * How long messages of quiet fairness keys wait while another key of the queue has a
 * great many waiting, beside how long they wait without that key.
 */
final class FairItem implements Item {

	private static final String QUEUE = "fair";

	private static final int QUIET_KEYS = 100;

	private static final Duration WARM_UP = Duration.ofSeconds(3);

	@Override
	public String name() {
		return "fair";
	}

	@Override
	public void run(Round round) {
		ChoiceOptions options = round.options();
		Waits alone;
		Waits beside;
		if (round.isReversed()) {
			beside = measure(options, options.backlog());
			alone = measure(options, 0);
		}
		else {
			alone = measure(options, 0);
			beside = measure(options, options.backlog());
		}
		String loud = "alone → beside a key with %,d".formatted(options.backlog());
		round.report("p99 of 100 quiet keys, " + loud, "ms", alone.millis(99), beside.millis(99), Bound.ratioAtMost(2));
		round.report("p50 of 100 quiet keys, " + loud, "ms", alone.millis(50), beside.millis(50), null);
	}

	private static Waits measure(ChoiceOptions options, int loud) {
		Waits warmUp = new Waits(Math.toIntExact(WARM_UP.toSeconds() * options.perSecond()));
		Work work = new Work(options.work(), warmUp);
		try (RedisServer server = RedisServer.start();
				ChoiceApplication application = new ChoiceApplication(server.uri(), List.of(QUEUE), work::handle,
						"redelay.queue.listener.concurrency=" + options.concurrency())) {
			new Filling(application.template()).fill(loud,
					() -> OutboundMessage.to(QUEUE, Parcel.ofLoud()).fairnessKey("loud"));
			application.listen();
			Pacer pacer = new Pacer(application.template());
			pacer.send(FairItem::quiet, WARM_UP, options.perSecond());
			warmUp.await();
			Waits waits = new Waits(Math.toIntExact(options.seconds() * (long) options.perSecond()));
			work.waits(waits);
			pacer.send(FairItem::quiet, options.duration(), options.perSecond());
			waits.await();
			return waits;
		}
	}

	private static OutboundMessage quiet(int number) {
		return OutboundMessage.to(QUEUE, Parcel.ofQuiet()).fairnessKey("quiet-" + number % QUIET_KEYS);
	}

}
