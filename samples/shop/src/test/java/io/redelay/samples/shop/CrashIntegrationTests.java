package io.redelay.samples.shop;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes that share one Redis and one database, of which one is killed while it
 * handles messages.
 */
class CrashIntegrationTests {

	@TempDir
	private Path folder;

	private final RedisServer redis = RedisServer.start();

	private final List<ShopProcess> instances = new ArrayList<>();

	@AfterEach
	void stop() {
		this.instances.forEach(ShopProcess::close);
		this.redis.close();
	}

	@Test
	void theOtherInstanceFinishesEverything() throws Exception {
		// This process keeps the database open, and the safety net does not run: what
		// arrives comes through the queue.
		try (Connection database = DriverManager.getConnection(url(), "sa", "")) {
			assertThat(database.isValid(0)).isTrue();
			killOneOfTwo("1h");
		}
	}

	@Test
	void theOtherInstanceFinishesEverythingThoughTheDatabaseRanInTheFirst() throws Exception {
		killOneOfTwo("1s");
	}

	private void killOneOfTwo(String sweepInterval) throws IOException, SQLException {
		ShopProcess first = start("first.log", sweepInterval);
		ShopClient dying = first.client();
		ShopProcess second = start("second.log", sweepInterval);
		ShopClient surviving = second.client();
		List<String> unpaid = IntStream.range(0, 30)
			.mapToObj((i) -> dying.placeOrder(Duration.ofMillis(1000 + i * 100)))
			.toList();
		List<String> redPackets = IntStream.range(0, 10)
			.mapToObj((i) -> dying.sendRedPacket("amy", "ben", "1.00", Duration.ofMillis(1000 + i * 300)))
			.toList();
		List<String> paid = IntStream.range(0, 40).mapToObj((i) -> dying.placeOrder(Duration.ofMinutes(30))).toList();
		assertThat(paid).map(dying::pay).map(Answer::status).containsOnly("PAID");
		eventually(() -> assertThat(first.log()).contains("Thank you for order"));
		first.close();
		eventually(() -> {
			assertThat(unpaid).map(surviving::order).allSatisfy((order) -> {
				assertThat(order.status()).isEqualTo("CANCELLED");
				assertThat(order.time("cancelledAt")).isAfterOrEqualTo(order.time("payBy"));
			});
			assertThat(redPackets).map(surviving::redPacket).map(Answer::status).containsOnly("REFUNDED");
			assertThat(paid).map(surviving::receipt).map(Answer::status).as(second::problems).containsOnly("SENT");
		});
		assertThat(paid).map(surviving::order).map(Answer::status).containsOnly("PAID");
		assertThat(surviving.balance("amy")).isEqualByComparingTo("1000");
	}

	private ShopProcess start(String log, String sweepInterval) throws IOException {
		ShopProcess instance = ShopProcess.start(this.folder.resolve(log),
				List.of("--spring.datasource.url=" + url(), "--spring.data.redis.url=" + this.redis.uri(),
						"--redelay.queue.listener.lease-time=2s", "--redelay.outbox.lease-time=2s",
						"--shop.sweep-interval=" + sweepInterval, "--shop.mailer.latency=1s",
						"--shop.mailer.failure-rate=0"));
		this.instances.add(instance);
		return instance;
	}

	private String url() {
		return "jdbc:h2:file:%s;AUTO_SERVER=TRUE;WRITE_DELAY=0".formatted(this.folder.resolve("shop"));
	}

}
