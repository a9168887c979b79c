package io.redelay.samples.shop;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.redelay.samples.shop.ShopClient.eventually;
import static io.redelay.samples.shop.ShopInstances.client;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that share one Redis and one database, of which one is killed while it
 * handles messages.
 */
class CrashIntegrationTests {

	@TempDir
	private Path folder;

	private ShopInstances instances;

	@BeforeEach
	void prepare() {
		this.instances = new ShopInstances(this.folder.resolve("shop"));
	}

	@AfterEach
	void stop() {
		this.instances.close();
	}

	@Test
	void theOtherInstanceFinishesEverything() throws Exception {
		// The safety net does not run: what arrives comes through the queue.
		ShopClient surviving = client(this.instances.start(arguments("1h")));
		killInTheMiddle(process("1h"), surviving);
	}

	@Test
	@Tag("full")
	void theOtherInstanceFinishesEverythingThoughTheDatabaseRanInTheFirst() throws Exception {
		ShopProcess process = process("1s");
		process.awaitLog("HikariPool-1 - Start completed");
		killInTheMiddle(process, client(this.instances.start(arguments("1s"))));
	}

	private void killInTheMiddle(ShopProcess process, ShopClient surviving) {
		ShopClient dying = process.client();
		List<String> unpaid = IntStream.range(0, 30)
			.mapToObj((i) -> dying.placeOrder(Duration.ofMillis(1000 + i * 100)))
			.toList();
		List<String> redPackets = IntStream.range(0, 10)
			.mapToObj((i) -> dying.sendRedPacket("amy", "ben", "1.00", Duration.ofMillis(1000 + i * 300)))
			.toList();
		List<String> paid = IntStream.range(0, 24).mapToObj((i) -> dying.placeOrder(Duration.ofMinutes(30))).toList();
		assertThat(paid).map(dying::pay).map(Answer::status).containsOnly("PAID");
		process.awaitLog("Thank you for order");
		process.close();
		eventually(() -> {
			assertThat(unpaid).map(surviving::order).allSatisfy((order) -> {
				assertThat(order.status()).isEqualTo("CANCELLED");
				assertThat(order.time("cancelledAt")).isAfterOrEqualTo(order.time("payBy"));
			});
			assertThat(redPackets).map(surviving::redPacket).map(Answer::status).containsOnly("REFUNDED");
			assertThat(paid).map(surviving::receipt).map(Answer::status).containsOnly("SENT");
		});
		assertThat(paid).map(surviving::order).map(Answer::status).containsOnly("PAID");
		assertThat(surviving.balance("amy")).isEqualByComparingTo("1000");
	}

	private ShopProcess process(String sweepInterval) throws IOException {
		return this.instances.startProcess(this.folder.resolve("process.log"), arguments(sweepInterval));
	}

	private static String[] arguments(String sweepInterval) {
		return new String[] { "--redelay.queue.listener.lease-time=2s", "--redelay.outbox.lease-time=2s",
				"--shop.sweep-interval=" + sweepInterval, "--shop.mailer.latency=500ms",
				"--shop.mailer.failure-rate=0" };
	}

}
