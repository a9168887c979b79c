package io.redelay.samples.shop.stock;

import jakarta.validation.Valid;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The stock over HTTP.
 */
@RestController
class StockController {

	private final DeliveryImport deliveries;

	StockController(DeliveryImport deliveries) {
		this.deliveries = deliveries;
	}

	@PostMapping("/deliveries")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void take(@Valid @RequestBody ImportDelivery request) {
		this.deliveries.start(request);
	}

	@GetMapping("/stock/{item}")
	StockItem find(@PathVariable String item) {
		return this.deliveries.find(item);
	}

}
