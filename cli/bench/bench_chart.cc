// Draws throughput over time as an SVG picture (bench_report.h): one panel per workload.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/bench/bench_report.h"

namespace sippar::cli {
namespace {

constexpr double kWidth = 1000, kTitleHeight = 40, kPanelHeight = 300;
// Bounds of the curve in a panel, and heights of the marks and labels below it, in pixels.
constexpr double kLeft = 90, kRight = 980, kTop = 30, kBottom = 195;
constexpr double kFlushLane = 220, kCompactionLane = 242, kTimeLabels = 268;
// The shortest interval, in seconds, whose rate is meaningful.
constexpr double kShortest = 0.05;
constexpr size_t kPointsMax = 900;  // limit of points in a curve; more samples are averaged
constexpr const char* kHead =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\""
    " font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n"
    "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n";

std::string Escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return out;
}

// The smallest of 1, 2 or 5 times a power of ten with which at most `count` steps reach `top`.
double Step(double top, double count) {
  double raw = std::max(top, 1e-9) / count;
  double power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10 * power;
}

std::string Label(double value) {
  if (value >= 1e6) return fmt::format("{:g} M", value / 1e6);
  return value >= 1e3 ? fmt::format("{:g} k", value / 1e3) : fmt::format("{:g}", value);
}

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     Escaped(text));
}

std::string Line(double x1, double y1, double x2, double y2, const char* color, double width) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{:g}\"/>\n",
      x1, y1, x2, y2, color, width);
}

// One workload: its curve over a time axis of its own, and below it two rows of marks for flushes
// and compactions.
class Panel {
 public:
  explicit Panel(const WorkloadResult& result) : result_(result) {
    for (const WorkloadSample& sample : result.samples) top_ = std::max(top_, sample.ops_per_s);
    top_ = std::ceil(top_ / Step(top_, 5)) * Step(top_, 5);
  }

  std::string Draw() const {
    std::string out = Text(kLeft + 4, kTop - 8, "start", result_.workload) + Axes() + Curve();
    for (const WorkloadSample& sample : result_.samples) {
      if (sample.flushes > 0) out += Mark(sample.seconds, kFlushLane, "#e07b00");
      if (sample.compactions > 0) out += Mark(sample.seconds, kCompactionLane, "#8e24aa");
    }
    return out;
  }

 private:
  double X(double seconds) const {
    return kLeft + (kRight - kLeft) * seconds / std::max(result_.seconds, 1e-9);
  }
  double Y(double ops) const { return kBottom - (kBottom - kTop) * ops / std::max(top_, 1e-9); }

  std::string Mark(double seconds, double lane, const char* color) const {
    return Line(X(seconds), lane - 8, X(seconds), lane + 8, color, 2);
  }

  std::string Axes() const {
    std::string out;
    double ops_step = Step(top_, 5);
    for (double ops = 0; ops <= top_ * 1.001; ops += ops_step) {
      out += Line(kLeft, Y(ops), kRight, Y(ops), ops == 0 ? "#888" : "#e4e4e4", 1);
      out += Text(kLeft - 8, Y(ops) + 4, "end", Label(ops));
    }
    out += Text(kLeft - 8, kTop - 16, "end", "ops/s");
    out += Text(kLeft - 8, kFlushLane + 4, "end", "flushes");
    out += Text(kLeft - 8, kCompactionLane + 4, "end", "compactions");
    double step = Step(result_.seconds, 10);
    // The tolerance keeps the last mark when rounding puts it just above the end.
    for (double at = 0; at <= result_.seconds * 1.001; at += step) {
      out += Line(X(at), kBottom, X(at), kBottom + 5, "#888", 1);
      out += Text(X(at), kTimeLabels, "middle", fmt::format("{:g} s", at));
    }
    return out;
  }

  std::string Curve() const {
    const std::vector<WorkloadSample>& samples = result_.samples;
    size_t group = samples.size() / kPointsMax + 1;
    std::string points;
    double from = 0;
    for (size_t i = 0; i < samples.size(); i += group) {
      size_t limit = std::min(i + group, samples.size());
      double rows = 0;
      for (size_t k = i; k < limit; ++k) {
        rows += samples[k].ops_per_s * (samples[k].seconds - (k == 0 ? 0 : samples[k - 1].seconds));
      }
      double to = samples[limit - 1].seconds;
      // The rest after the last full interval may be too short for a meaningful rate.
      if (i > 0 && to - from < kShortest) break;
      double y = Y(rows / std::max(to - from, 1e-9));
      points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", X(from), y, X(to), y);
      from = to;
    }
    return fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#1f77b4\" stroke-width=\"1.5\"/>\n",
        points);
  }

  const WorkloadResult& result_;
  double top_ = 0;
};

}  // namespace

std::string DrawChart(const std::string& title, const std::vector<WorkloadResult>& results) {
  std::string out =
      fmt::format(kHead, kWidth, kTitleHeight + kPanelHeight * static_cast<double>(results.size()));
  out += fmt::format("<text x=\"{}\" y=\"28\" font-size=\"16\">{}</text>\n", kLeft, Escaped(title));
  double y = kTitleHeight;
  for (const WorkloadResult& result : results) {
    out += fmt::format("<g transform=\"translate(0,{})\">\n{}</g>\n", y, Panel(result).Draw());
    y += kPanelHeight;
  }
  return out + "</svg>\n";
}

}  // namespace sippar::cli
