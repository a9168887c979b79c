package io.redelay.samples.shop;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Red packets, from HTTP to the database and back through the queue.
 */
@ShopTest
class RedPacketIntegrationTests {

	private final String alice = "alice-" + UUID.randomUUID();

	private final String bob = "bob-" + UUID.randomUUID();

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void unopenedRedPacketIsRefundedAndNeverBeforeItsTime() {
		String waiting = this.shop.sendRedPacket(this.alice, this.bob, "8.88", Duration.ofMinutes(30));
		assertThat(this.shop.redPacket(waiting).status()).isEqualTo("PENDING");
		assertBalances("991.12", "1000.00");
		String id = this.shop.sendRedPacket(this.alice, this.bob, "8.88", Duration.ofSeconds(2));
		eventually(() -> assertThat(this.shop.redPacket(id).status()).isEqualTo("REFUNDED"));
		Answer redPacket = this.shop.redPacket(id);
		assertThat(redPacket.time("refundedAt")).isAfterOrEqualTo(redPacket.time("refundAt"));
		assertBalances("991.12", "1000.00");
		assertThat(this.shop.open(id).code()).isEqualTo(409);
		assertBalances("991.12", "1000.00");
	}

	@Test
	void openedRedPacketIsNotRefunded() {
		String opened = this.shop.sendRedPacket(this.alice, this.bob, "8.88", Duration.ofSeconds(8));
		assertThat(this.shop.open(opened).status()).isEqualTo("OPENED");
		assertBalances("991.12", "1008.88");
		String later = this.shop.sendRedPacket(this.alice, this.bob, "1.00", Duration.ofSeconds(8));
		eventually(() -> assertThat(this.shop.redPacket(later).status()).isEqualTo("REFUNDED"));
		assertThat(this.shop.redPacket(opened).status()).isEqualTo("OPENED");
		assertBalances("991.12", "1008.88");
	}

	@Test
	void redPacketIsOpenedOnceByManyAtTheSameTime() {
		String id = this.shop.sendRedPacket(this.alice, this.bob, "8.88", Duration.ofMinutes(30));
		List<CompletableFuture<Answer>> answers = IntStream.range(0, 16)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> this.shop.open(id)))
			.toList();
		assertThat(answers).extracting(CompletableFuture::join).extracting(Answer::status).containsOnly("OPENED");
		assertBalances("991.12", "1008.88");
	}

	@Test
	void noMoneyIsLostOrMadeBetweenOpeningAndRefunding() {
		List<CompletableFuture<String>> openings = IntStream.range(0, 60).mapToObj((i) -> {
			String id = this.shop.sendRedPacket(this.alice, this.bob, "1.00", Duration.ofMillis(500));
			int hesitation = 400 + ThreadLocalRandom.current().nextInt(200);
			Executor later = CompletableFuture.delayedExecutor(hesitation, TimeUnit.MILLISECONDS);
			return CompletableFuture.supplyAsync(() -> {
				this.shop.open(id);
				return id;
			}, later);
		}).toList();
		List<String> ids = openings.stream().map(CompletableFuture::join).toList();
		eventually(() -> assertThat(ids).extracting(this.shop::redPacket)
			.extracting(Answer::status)
			.doesNotContain("PENDING"));
		long opened = ids.stream().filter((id) -> this.shop.redPacket(id).status().equals("OPENED")).count();
		assertBalances("%d.00".formatted(1000 - opened), "%d.00".formatted(1000 + opened));
	}

	@Test
	void sendersOfManyRedPacketsCannotSpendMoreThanTheyHave() {
		List<CompletableFuture<Answer>> answers = IntStream.range(0, 16)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> this.shop.post("/red-packets",
					"""
							{"from": "%s", "to": "%s", "amount": 300, "refundAfter": "30m"}""".formatted(this.alice,
							this.bob))))
			.toList();
		assertThat(answers).extracting(CompletableFuture::join)
			.extracting(Answer::code)
			.containsOnly(201, 409)
			.filteredOn((code) -> code == 201)
			.hasSize(3);
		assertBalances("100.00", "1000.00");
	}

	@Test
	void unknownRedPacketIsNotFound() {
		assertThat(this.shop.redPacket("7").code()).isEqualTo(404);
		assertThat(this.shop.open("7").code()).isEqualTo(404);
	}

	private void assertBalances(String ofAlice, String ofBob) {
		assertThat(this.shop.balance(this.alice)).isEqualByComparingTo(new BigDecimal(ofAlice));
		assertThat(this.shop.balance(this.bob)).isEqualByComparingTo(new BigDecimal(ofBob));
	}

}
