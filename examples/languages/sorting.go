// How long it takes to sort 1,000 numbers, in Go: go build -o sorting-go sorting.go
package main

import (
	"encoding/json"
	"log"
	"os"
	"sort"
	"time"
)

type line struct {
	Steelyard int       `json:"steelyard"` // first, by which a line on standard output is known
	Metric    string    `json:"metric"`
	Unit      string    `json:"unit"`
	Values    []float64 `json:"values"`
}

func report(metric, unit string, values []float64) error {
	text, err := json.Marshal(line{1, metric, unit, values})
	if err != nil {
		return err
	}
	to := os.Stdout
	if path := os.Getenv("STEELYARD_METRICS"); path != "" {
		if to, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
			return err
		}
		defer to.Close()
	}
	_, err = to.Write(append(text, '\n'))
	return err
}

func main() {
	values := make([]float64, 0, 30)
	for range 30 {
		numbers := make([]int, 1000)
		for i := range numbers {
			numbers[i] = i * 7919 % 1000
		}
		start := time.Now()
		sort.Ints(numbers)
		values = append(values, time.Since(start).Seconds())
	}
	if err := report("sort_s", "s", values); err != nil {
		log.Fatal(err)
	}
}
