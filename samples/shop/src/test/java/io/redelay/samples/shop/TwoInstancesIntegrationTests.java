package io.redelay.samples.shop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.samples.shop.ShopClient.Answer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static io.redelay.samples.shop.ShopClient.eventually;
import static io.redelay.samples.shop.ShopInstances.client;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that share one Redis and one database.
 */
@ExtendWith(OutputCaptureExtension.class)
class TwoInstancesIntegrationTests {

	private static final String[] ARGUMENTS = { "--shop.mailer.failure-rate=0", "--shop.receipts.max-attempts=2",
			"--shop.orders.remind-after=0.06" };

	private static ShopInstances instances;

	private static ConfigurableApplicationContext first;

	private static ConfigurableApplicationContext second;

	@BeforeAll
	static void start() {
		instances = new ShopInstances();
		first = instances.start(ARGUMENTS);
		second = instances.start(ARGUMENTS);
	}

	@AfterAll
	static void stop() {
		instances.close();
	}

	@Test
	void orderPlacedHereIsPaidThere() {
		String id = client(first).placeOrder(Duration.ofMinutes(30));
		assertThat(client(second).pay(id).status()).isEqualTo("PAID");
		assertThat(client(first).order(id).status()).isEqualTo("PAID");
		eventually(() -> assertThat(client(first).receipt(id).status()).isEqualTo("SENT"));
	}

	@Test
	@Tag("full")
	void orderPlacedHereAndPaidThereIsNotRemindedOf(CapturedOutput output) {
		ShopClient here = client(first);
		List<String> ids = IntStream.range(0, 20).mapToObj((i) -> here.placeOrder(Duration.ofSeconds(100))).toList();
		List<String> paid = ids.subList(0, 10);
		assertThat(paid).map(client(second)::pay).map(Answer::status).containsOnly("PAID");
		assertThat(paid).map(here::reminder).map(Answer::code).containsOnly(404);
		List<String> unpaid = ids.subList(10, 20);
		// A reminder that was mailed is gone.
		eventually(() -> assertThat(unpaid).map(here::reminder).map(Answer::code).containsOnly(404));
		assertThat(unpaid).allSatisfy((id) -> assertThat(output).containsOnlyOnce("Please pay order " + id));
		assertThat(paid).allSatisfy((id) -> assertThat(output).doesNotContain("Please pay order " + id));
	}

	@Test
	void receiptsThatDiedAreMailedOnceThoughBothRedriveThem(CapturedOutput output) {
		ShopClient here = client(first);
		ShopClient there = client(second);
		List<String> ids = IntStream.range(0, 20)
			.mapToObj((i) -> here.placeOrder(Duration.ofMinutes(30), "amy@nowhere.invalid"))
			.toList();
		assertThat(ids).map(here::pay).map(Answer::status).containsOnly("PAID");
		eventually(() -> assertThat(there.get("/receipts/dead/causes").body()).singleElement()
			.satisfies((cause) -> assertThat(cause.required("count").asInt()).isEqualTo(20)));
		assertThat(ids).map((id) -> here.correctReceipt(id, "amy@example.com"))
			.map(Answer::status)
			.containsOnly("DEAD");
		int redriven = Stream.of(here, there)
			.map((shop) -> CompletableFuture.supplyAsync(() -> shop.redriveReceipts("{}")))
			.toList()
			.stream()
			.map(CompletableFuture::join)
			.mapToInt((answer) -> answer.body().required("redriven").asInt())
			.sum();
		assertThat(redriven).isEqualTo(20);
		eventually(() -> assertThat(ids).map(there::receipt).map(Answer::status).containsOnly("SENT"));
		assertThat(ids).allSatisfy((id) -> assertThat(output).containsOnlyOnce("Thank you for order " + id));
	}

	@Test
	void theOthersTakeOverWhatOneLeavesWhenItStops() {
		ConfigurableApplicationContext third = instances.start(ARGUMENTS);
		ShopClient leaving = client(third);
		List<String> unpaid = IntStream.range(0, 50)
			.mapToObj((i) -> leaving.placeOrder(Duration.ofMillis(500 + i * 20)))
			.toList();
		List<String> redPackets = IntStream.range(0, 20)
			.mapToObj((i) -> leaving.sendRedPacket("ann", "ben", "1.00", Duration.ofMillis(500 + i * 50)))
			.toList();
		String paid = leaving.placeOrder(Duration.ofMinutes(30));
		leaving.pay(paid);
		third.close();
		ShopClient staying = client(second);
		eventually(() -> {
			assertThat(unpaid).map(staying::order).allSatisfy((order) -> {
				assertThat(order.status()).isEqualTo("CANCELLED");
				assertThat(order.time("cancelledAt")).isAfterOrEqualTo(order.time("payBy"));
			});
			assertThat(redPackets).map(staying::redPacket).map(Answer::status).containsOnly("REFUNDED");
			assertThat(staying.receipt(paid).status()).isEqualTo("SENT");
		});
		assertThat(staying.order(paid).status()).isEqualTo("PAID");
		assertThat(staying.balance("ann")).isEqualByComparingTo("1000");
	}

}
