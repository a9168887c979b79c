package io.redelay.samples.shop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static io.redelay.samples.shop.ShopClient.eventually;
import static io.redelay.samples.shop.ShopInstances.client;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Notifications that both instances try to push.
 */
@ExtendWith(OutputCaptureExtension.class)
class NotificationIntegrationTests {

	private final ShopInstances instances = new ShopInstances();

	private final ConfigurableApplicationContext first = this.instances.start();

	private final ConfigurableApplicationContext second = this.instances.start();

	@AfterEach
	void stop() {
		this.instances.close();
	}

	@Test
	void bothInstancesTryAndTheFrontEndGetsEachOnce(CapturedOutput output) {
		ShopClient here = client(this.first);
		ShopClient there = client(this.second);
		for (int i = 0; i < 10; i++) {
			ShopClient shop = (i % 2 == 0) ? here : there;
			assertThat(shop.post("/notifications", "{\"id\":\"n-%d\",\"text\":\"table ready\"}".formatted(i)).code())
				.isEqualTo(202);
		}
		here.post("/notifications", "{\"id\":\"n-0\",\"text\":\"table ready\"}");
		eventually(() -> {
			assertThat(output.getOut().split("The notification n-\\d was pushed", -1)).hasSize(11);
			assertThat(output.getOut().split("The notification n-\\d had been pushed already", -1))
				.hasSizeGreaterThanOrEqualTo(11);
		});
		JsonNode notifications = there.get("/notifications").body();
		assertThat(
				StreamSupport.stream(notifications.spliterator(), false).map((each) -> each.required("id").asString()))
			.hasSize(10)
			.doesNotHaveDuplicates();
		assertThat(here.get("/notifications").body()).isEqualTo(notifications);
	}

	@Test
	@Tag("full")
	void eachIsPushedOnceOverAKillOfAnInstance(@TempDir Path folder) throws IOException {
		try (ShopInstances shops = new ShopInstances(folder.resolve("shop"))) {
			ShopClient one = client(shops.start());
			ShopClient two = client(shops.start());
			ShopProcess process = shops.startProcess(folder.resolve("process.log"));
			ShopClient three = process.client();
			post(three, 0, 10);
			eventually(() -> assertThat(pushed(one)).hasSize(10));
			process.close();
			post(one, 0, 15);
			post(two, 10, 20);
			eventually(() -> assertThat(pushed(two)).hasSize(20));
			eventually(() -> assertThat(one.get("/notifications").body()).isEqualTo(two.get("/notifications").body()));
			assertThat(pushed(one)).doesNotHaveDuplicates();
		}
	}

	private static void post(ShopClient shop, int from, int to) {
		for (int i = from; i < to; i++) {
			assertThat(shop.post("/notifications", "{\"id\":\"k-%d\",\"text\":\"ready\"}".formatted(i)).code())
				.isEqualTo(202);
		}
	}

	private static List<String> pushed(ShopClient shop) {
		return StreamSupport.stream(shop.get("/notifications").body().spliterator(), false)
			.map((each) -> each.required("id").asString())
			.toList();
	}

	@Test
	void aNotificationWithoutATextIsRefused() {
		assertThat(client(this.first).post("/notifications", "{\"id\":\"n-1\"}").code()).isEqualTo(400);
	}

}
