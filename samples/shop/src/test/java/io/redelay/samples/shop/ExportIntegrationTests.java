package io.redelay.samples.shop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Exports of all orders.
 */
@ShopTest
class ExportIntegrationTests {

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void reportsItsProgressAndEndsWhenItIsCancelled() {
		IntStream.range(0, 30).forEach((i) -> this.shop.placeOrder(Duration.ofHours(1)));
		String id = this.shop.startExport();
		eventually(() -> assertThat(this.shop.export(id).body().required("progress").asDouble()).isPositive());
		assertThat(this.shop.export(id).status()).isEqualTo("RUNNING");
		assertThat(this.shop.get("/exports/" + id + "/file").code()).isEqualTo(409);
		assertThat(this.shop.cancelExport(id).code()).isEqualTo(202);
		eventually(() -> assertThat(this.shop.export(id).status()).isEqualTo("CANCELLED"));
		eventually(() -> assertThat(Path.of("target/exports")).isDirectoryNotContaining("glob:**" + id + "*"));
	}

	@Test
	void isFoundByItsIdOnly() {
		String unknown = UUID.randomUUID().toString();
		assertThat(this.shop.export(unknown).code()).isEqualTo(404);
		assertThat(this.shop.get("/exports/" + unknown + "/file").code()).isEqualTo(404);
		assertThat(this.shop.cancelExport(unknown).code()).isEqualTo(404);
		assertThat(this.shop.export("1").code()).isEqualTo(400);
	}

}
