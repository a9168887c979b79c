package io.redelay.samples.shop.order;

import java.net.URI;

import jakarta.validation.Valid;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The orders over HTTP.
 */
@RestController
@RequestMapping("/orders")
class OrderController {

	private final OrderService orders;

	OrderController(OrderService orders) {
		this.orders = orders;
	}

	@PostMapping
	ResponseEntity<ShopOrder> place(@Valid @RequestBody PlaceOrder request) {
		ShopOrder order = this.orders.place(request);
		return ResponseEntity.created(URI.create("/orders/" + order.id())).body(order);
	}

	@GetMapping("/{id}")
	ShopOrder find(@PathVariable String id) {
		return this.orders.find(id);
	}

	@GetMapping("/{id}/reminder")
	Reminder findReminder(@PathVariable String id) {
		return this.orders.findReminder(id);
	}

	@PostMapping("/{id}/pay")
	ShopOrder pay(@PathVariable String id) {
		return this.orders.pay(id);
	}

}
