package io.redelay.management.docs;

import java.time.Duration;
import java.util.Map;

import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleListener;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

@Component
class TroubleWebhook implements TroubleListener {

	private final RestClient http;

	TroubleWebhook(@Value("${alerts.webhook}") String address) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
		requests.setReadTimeout(Duration.ofSeconds(10)); // <1>
		this.http = RestClient.builder().baseUrl(address).requestFactory(requests).build();
	}

	@Override
	public void onTrouble(TroubleEvent event) {
		String text = "%s %s %s: %s".formatted(event.severity(), event.queue(), event.type(), event.summary());
		this.http.post().body(Map.of("text", text)).retrieve().toBodilessEntity(); // <2>
	}

}
