package io.redelay.samples.shop;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static io.redelay.samples.shop.ShopClient.eventually;
import static io.redelay.samples.shop.ShopInstances.client;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * An export whose instance ends in the middle: another one goes on with it and does not
 * start over.
 */
@ExtendWith(OutputCaptureExtension.class)
class ExportTakeoverIntegrationTests {

	private static final int ORDERS = 30;

	@TempDir
	private Path folder;

	@Test
	void goesOnBehindTheLastLineWhenItsInstanceStops(CapturedOutput output) {
		try (ShopInstances instances = new ShopInstances()) {
			ConfigurableApplicationContext stopping = instances.start(arguments("1s"));
			List<String> orders = placeOrders(client(stopping));
			String id = startExport(client(stopping));
			stopping.close();
			assertGoesOn(client(instances.start(arguments("0ms"))), id, orders, output);
		}
	}

	@Test
	@Tag("full")
	void goesOnBehindTheCheckpointWhenItsInstanceIsKilled(CapturedOutput output) throws Exception {
		Path file = this.folder.resolve("shop");
		// This process keeps the database open.
		try (ShopInstances instances = new ShopInstances(file);
				Connection database = DriverManager.getConnection(ShopInstances.url(file), "sa", "")) {
			assertThat(database.isValid(0)).isTrue();
			ShopProcess dying = instances.startProcess(this.folder.resolve("process.log"), arguments("1s"));
			List<String> orders = placeOrders(dying.client());
			String id = startExport(dying.client());
			dying.close();
			assertGoesOn(client(instances.start(arguments("0ms"))), id, orders, output);
		}
	}

	private String[] arguments(String latency) {
		return new String[] { "--shop.exports.folder=" + this.folder.resolve("exports"), "--shop.exports.page-size=1",
				"--shop.exports.latency=" + latency, "--redelay.queue.listener.lease-time=2s",
				"--redelay.queue.work.write-interval=100ms" };
	}

	private static List<String> placeOrders(ShopClient shop) {
		return IntStream.range(0, ORDERS).mapToObj((i) -> shop.placeOrder(Duration.ofHours(1))).toList();
	}

	private static String startExport(ShopClient shop) {
		String id = shop.startExport();
		eventually(() -> assertThat(shop.export(id).body().required("progress").asDouble()).isPositive());
		return id;
	}

	private void assertGoesOn(ShopClient shop, String id, List<String> orders, CapturedOutput output) {
		eventually(() -> assertThat(shop.export(id).status()).isEqualTo("DONE"));
		assertThat(shop.exportedLines(id)).map((line) -> line.substring(0, line.indexOf(',')))
			.containsExactlyInAnyOrderElementsOf(orders);
		assertThat(output).containsPattern("Export " + id + " begins behind [1-9]\\d* of " + ORDERS + " orders");
		assertThat(this.folder.resolve("exports").toFile().list()).containsExactly(id + ".csv");
	}

}
