package io.redelay.console;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.embedded.redis.RedisServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Sources whose Redis goes and comes.
 */
class SourceAwayIntegrationTests {

	@Test
	void aSourceIsShownWhenItsRedisComesAndOneThatGivesNoAnswerDisturbsNoOther() throws Exception {
		int port;
		try (RedisServer reserved = RedisServer.start()) {
			port = reserved.port();
		}
		try (RedisServer shop = RedisServer.start();
				Console console = Console.start("shop.url=" + shop.uri(), "late.url=redis://localhost:" + port)) {
			await().until(() -> console.isConnected("shop"));
			assertThat(console.get("late/queues").statusCode()).isEqualTo(503);
			try (RedisServer late = RedisServer.builder().port(port).start()) {
				await().until(() -> console.isConnected("late"));
				late.pause();
				try {
					await().until(
							() -> !console.json("late/queues/-/status").path("redis").path("answers").asBoolean(true));
					List<CompletableFuture<Integer>> many = new ArrayList<>();
					for (int i = 0; i < 40; i++) {
						many.add(CompletableFuture.supplyAsync(() -> status(console, "late/queues/orders"),
								(task) -> new Thread(task).start()));
					}
					assertThat(CompletableFuture.supplyAsync(() -> status(console, "shop/queues")))
						.succeedsWithin(Duration.ofSeconds(20))
						.isEqualTo(200);
					assertThat(many).allSatisfy((answer) -> assertThat(answer.join()).isEqualTo(503));
				}
				finally {
					late.resume();
				}
				await()
					.until(() -> console.json("late/queues/-/status").path("redis").path("answers").asBoolean(false));
			}
		}
	}

	private static int status(Console console, String path) {
		try {
			return console.get(path).statusCode();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
