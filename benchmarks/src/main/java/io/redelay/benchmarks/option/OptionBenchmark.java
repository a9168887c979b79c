package io.redelay.benchmarks.option;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import com.sun.management.OperatingSystemMXBean;
import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.benchmarks.RedisTime;
import io.redelay.embedded.redis.RedisServer;

/**
 * Measures what each option of a message costs beside a plain message: commands, and CPU
 * time of Redis and of the client, to send one and for all of its life. In each round all
 * take turns, 100 messages together and singly; another one begins each round.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class OptionBenchmark {

	static final List<Integer> TOGETHER = List.of(100, 1);

	private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private OptionBenchmark() {
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --option=id,tag}, {@code --rounds=10} and others
	 */
	public static void main(String... args) {
		OptionOptions options = OptionOptions.read(args);
		OptionReport report = new OptionReport(new JsonLines(options.output()));
		try (RedisServer server = RedisServer.start()) {
			report.begin(Machine.now(server));
			try (OptionApplication application = new OptionApplication(server.uri())) {
				for (int round = 1 - options.warmUp(); round <= options.rounds(); round++) {
					List<SendOption> turns = new ArrayList<>(options.measured());
					Collections.rotate(turns, -Math.floorMod(round, turns.size()));
					for (SendOption option : turns) {
						for (int together : TOGETHER) {
							report.add(measure(server, application, round, option, together, options.messages()));
						}
					}
				}
			}
		}
		report.print();
		System.exit(0);
	}

	private static OptionSample measure(RedisServer server, OptionApplication application, int round, SendOption option,
			int together, int messages) {
		Meter meter = new Meter(server, messages);
		application.send(option, together, messages);
		OptionCost send = meter.read();
		application.drain(option, messages);
		OptionSample sample = new OptionSample(round, option, together, messages, send, meter.read());
		application.drainRest(option, together, messages);
		return sample;
	}

	/**
	 * Reads what was computed since it was created.
	 */
	private static final class Meter {

		private final RedisServer server;

		private final int messages;

		private final RedisTime redis;

		private final long cpu = PROCESS.getProcessCpuTime();

		Meter(RedisServer server, int messages) {
			this.server = server;
			this.messages = messages;
			this.redis = RedisTime.of(server);
		}

		OptionCost read() {
			long client = PROCESS.getProcessCpuTime() - this.cpu;
			RedisTime since = RedisTime.of(this.server).since(this.redis);
			return new OptionCost((double) since.commands() / this.messages, since.microsPer(this.messages),
					client / 1e3 / this.messages);
		}

	}

}
