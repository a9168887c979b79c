package io.redelay.samples.shop;

import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.web.server.LocalServerPort;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lists of prices that are imported as a bundle.
 */
@ShopTest
class PriceImportIntegrationTests {

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void aThousandLinesAreImportedAndMailedOnce() {
		String prefix = UUID.randomUUID().toString();
		String csv = IntStream.range(0, 1000)
			.mapToObj((i) -> prefix + i + ((i % 100 == 7) ? ",free" : ",42.50"))
			.collect(Collectors.joining("\n"));
		String result = this.shop.importPrices("amy@example.com", csv);
		eventually(() -> {
			JsonNode ended = this.shop.get(result).body();
			assertThat(ended.required("lines").asInt()).isEqualTo(1000);
			assertThat(ended.required("imported").asInt()).isEqualTo(990);
			assertThat(ended.required("failed").asInt()).isEqualTo(10);
		});
	}

}
